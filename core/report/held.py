"""What words tell where no judge has looked: whether passages hold a reference, and whether an answer says it.

A reference that stands there word for word, or hardly at all, is told by counting words; what lies between goes to the
sufficiency judge's own lookup (`core.judge.grounding.sufficiency`, fitted on labelled passages).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.base.language import content, numbers
from core.judge.grounding.sufficiency import look_up_reference
from core.judge.retrieval.matching import look_up, pieces
from core.judge.text.refusal import is_refusal, spoken

WHOLE = 0.95  # share of a reference's words in one passage from which it stands there
HARDLY = 0.3  # share in all passages together below which it does not
SAID = 0.6  # share of a reference's words that an answer must have to say it

LEAST, MOST = 2, 0.6  # words of the need, and share of those that were said, from which a query has lost it


@lru_cache(maxsize=20_000)
def words(text: str) -> frozenset[str]:
    """The content words of a text."""
    return frozenset(content(text))


def share(wanted: str, text: str) -> float:
    """Share (0 to 1) of the content words of one text that another has; 0 where there are none."""
    needed = words(wanted)
    return len(needed & words(text)) / len(needed) if needed else 0.0


@lru_cache(maxsize=20_000)
def hold(reference: str, question: str, passages: tuple[str, ...]) -> bool | None:
    """Whether the passages hold what a reference says; none where the reference says nothing that can be looked up."""
    needed = words(reference)
    if not needed or says_nothing(reference):
        return None
    if not passages:
        return False
    if any(share(reference, text) >= WHOLE and numbers(reference) <= numbers(text) for text in passages):
        return True
    together = frozenset[str]().union(*map(words, passages))
    if len(needed & together) / len(needed) < HARDLY:
        return False
    found = look_up_reference(reference, question, passages)
    return found.chance >= 0.5 if found.claims else None


def hold_evidence(evidence: Sequence[str], passages: Sequence[str]) -> bool | None:
    """Whether all evidence sentences stand in the passages; none where a scenario names no evidence."""
    known = [text for text in evidence if pieces(text)]
    return all(look_up(text, passages).whole for text in known) if known else None


def best_place(reference: str, passages: Sequence[str]) -> int | None:
    """The place (from 0) of the passage with most of a reference; none where no passage has half of its words."""
    shares = [share(reference, text) for text in passages]
    return shares.index(max(shares)) if shares and max(shares) >= 0.5 else None


def says(reference: str, answer: str) -> bool | None:
    """Whether an answer has most words and all figures of a reference; none where the reference has no words."""
    if not words(reference):
        return None
    return share(reference, answer) >= SAID and numbers(reference) <= numbers(answer)


@lru_cache(maxsize=20_000)
def says_nothing(text: str) -> bool:
    """Whether a text only says that there is no answer."""
    return all(map(is_refusal, spoken(text))) if text.strip() else True


def refuses(reply: str) -> bool:
    """Whether a reply opens by saying that the answer is not known, for bots that do not mark it."""
    parts = spoken(reply)
    return bool(parts) and is_refusal(parts[0])


@lru_cache(maxsize=20_000)
def loses(need: str, said: tuple[str, ...], query: str) -> bool:
    """Whether a query lacks most words of the need that the person had said (two at the least)."""
    told = words(need) & frozenset[str]().union(*map(words, said))
    lost = told - words(query)
    return len(lost) >= LEAST and len(lost) / len(told) >= MOST


def lost_words(said: Iterable[str], query: str) -> tuple[str, ...]:
    """The content words that were said and that a query lacks, in order."""
    have = words(query)
    return tuple(dict.fromkeys(word for text in said for word in content(text) if word not in have))
