"""Yes or no, bound to its subject: PayPal is available for Plus says nothing of Business.

For answers that turn a rule around in other words. Without it, .012 fewer reversed signs are caught; it costs .015 of the
correlation on MTRAG.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.judges.rules.binding import LookUpRules
from core.text.language import Script, sentences
from core.text.negation import denies, long_clauses, opening_polarity, polarity, stops, without_opening
from core.text.questions import asks_whether
from core.text.refusals import answer_sentences, is_refusal
from core.text.synonyms import canonical_words

LONGEST_BARE_ANSWER = 40  # characters up to which an answer may be no more than a yes or a no
AROUND = 0.5  # what a word of the rest of the sentence counts
EXTRA = 0.4  # what a word counts against a clause that is about something else besides
MARGIN = 1.0  # weight by which the opposite must fit better
TOPIC = 0.45  # share of a clause's words that the opposite must hold
LIMITED = 0.85  # what a clause under a condition counts
_IT = re.compile(r"(?:it|they|this|these|that)\b|それ|これ", re.IGNORECASE)
_IF = re.compile(
    r"\b(?:unless|without|until|except|if|before|after|when|once|as long as)\b|場合|なければ|なくても|なら|とき|以外|過ぎ|まで",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?:はい|ええ|いいえ|いえ)?[、。,.!\s]*+"
    r"(?:(?:利用|返品|変更)?(?:でき(?:ます|ません|る|ない)|可能(?:です)?|不可能(?:です)?|不可(?:です)?|大丈夫です|そうです|違います|あります|ありません|必要です|不要です|必要ありません|なりません))?(?:よ)?[。.!\s]*"
    r"|(?:yes|yeah|yep|no|nope|sure|certainly)?[,.!\s]*+"
    r"(?:(?:you|it|they|we|he|she|i|there|that)\s+(?:can|could|is|are|do|does|did|will|may|must|has|have|was|were|should)(?:\s?not|n?['’]t)?)?[.!\s]*"
    r"|(?:可以|不可以|能|不能|是的?|不是|有|没有|不行|行)(?:的)?[。.!\s]*",
    re.IGNORECASE,
)


class Stance(NamedTuple):
    """A clause that affirms (1) or denies (-1): its words, those around it, whether something stops (1) or goes on (-1), and a condition."""

    words: frozenset[str]
    around: frozenset[str]
    polarity: int
    stops: int
    limited: bool
    text: str


def answer_polarity(answer: str, question: str) -> int:
    """1 or -1 if a short answer says yes or no to a question for that, else 0."""
    parts = answer_sentences(answer[: LONGEST_BARE_ANSWER + 1])
    is_long = len(answer.strip()) > LONGEST_BARE_ANSWER
    if is_long or not parts or is_refusal(answer) or not asks_whether(question):
        return 0
    return opening_polarity(parts[0]) or polarity(parts[0])


def is_bare(answer: str) -> bool:
    """Whether an answer is a yes or a no and nothing else."""
    text = answer.strip()
    return len(text) <= LONGEST_BARE_ANSWER and bool(re.search(r"\w", text)) and bool(_BARE.fullmatch(text))


def sentence_polarity(text: str) -> int:
    """1 when a text says yes, -1 when it says no: by its opening word, else by how its first sentence ends."""
    opening = opening_polarity(text)
    if opening:
        return opening
    first = next((one for one in sentences(text.strip()) if one.strip()), "").strip()
    return -1 if denies(first) else 1


def agrees(question: str, answer: str, reference: str) -> bool | None:
    """Whether a bare yes or no is the reference's side; None if answer or question is of another kind."""
    if not is_bare(answer) or not (
        asks_whether(question) or is_bare(reference) or question.rstrip("?？。 ").endswith(("吗", "嗎"))
    ):
        return None
    return sentence_polarity(answer) == sentence_polarity(reference)


@lru_cache(maxsize=4_096)
def stances(text: str, of: Script, before: str = "") -> tuple[Stance, ...]:
    """What a sentence affirms and denies, clause by clause; a bare yes or no is not a clause.

    `before`: the sentence before, which an "it" speaks of.
    """
    found, rest = list[Stance](), canonical_words(text, of)
    rest |= canonical_words(before, of) if _IT.match(text) else frozenset()
    for clause in long_clauses(without_opening(text.strip())):
        words = canonical_words(clause, of)
        if polarity(clause) and words:
            limited = bool(_IF.search(clause))
            found.append(Stance(words, rest - words, polarity(clause), stops(clause), limited, clause))
    return tuple(found)


def find_denial(
    parts: Sequence[str],
    evidence: Iterable[Stance],
    references: Sequence[str],
    of: Script,
    rules: LookUpRules,
) -> tuple[str, str] | None:
    """(what the answer says, what stands against it): yes against no on what was asked, else none."""
    said = opening_polarity(parts[0]) if parts else 0
    leads = {opening_polarity(text) for text in references} - {0}
    if said and leads:
        return None if said in leads else (parts[0], references[0])
    against = tuple(evidence)
    for part in parts[:2]:
        for claim in stances(part, of):
            other = _against(claim, against, rules)
            if other:
                return claim.text, other
    return None


def _against(claim: Stance, evidence: Sequence[Stance], rules: LookUpRules) -> str:
    if claim.limited:
        return ""
    weigh, asked = rules.weigh, (claim.words | claim.around) & rules.question_words
    best, own, found = 0.0, 0.0, ""
    for other in evidence:
        shared = claim.words & other.words
        fit = weigh(shared) + weigh(asked & other.words) + AROUND * weigh(claim.words & other.around)
        fit -= EXTRA * weigh(other.words - claim.words - claim.around)
        if (other.polarity == claim.polarity) != (claim.stops * other.stops < 0):
            own = max(own, fit)
        elif shared and fit * (LIMITED if other.limited else 1.0) > best:
            best, found = fit * (LIMITED if other.limited else 1.0), other.text
    most = weigh(claim.words) + weigh(asked)
    return found if best > 1.05 * own + MARGIN and best >= TOPIC * most else ""
