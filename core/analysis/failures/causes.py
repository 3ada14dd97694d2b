"""Which stage lost a turn its points: one cause for each failure, from a table whose rows are tried in order.

The simulated user is looked at first, then asking, then searching and answering: what comes after a stage that broke
could not be right any more. What no judge has told and no words
tell is "unclear": it is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.base.types import BEYOND_DOCUMENTS

Cause = Literal[
    "asked", "rewrite", "not_found", "not_used", "not_supported", "refused", "simulator", "unclear", "unknown"
]
By = Literal["judges", "record", "words"]
JudgedFact = Literal["passages_sufficient", "grounded", "correct", "user"]
CAUSES: tuple[Cause, ...] = (
    "asked", "rewrite", "not_found", "not_used", "not_supported", "refused", "simulator", "unclear", "unknown",
)  # fmt: skip
JUDGE_OF: dict[JudgedFact, str] = {
    "passages_sufficient": "sufficiency",
    "grounded": "groundedness",
    "correct": "correctness",
    "user": "simulated_user",
}


class TurnFacts(NamedTuple):
    """What is known of a turn that lost points; none: no judge has said.

    asked: whether it asked a clarifying question; asked_before: an earlier turn did; passages_sufficient: the
    passages hold the answer; query_dropped_intent: the query dropped what the person had said of the intent;
    user_words_find_it: what the person had said would have found the answer where the query did not; in_documents:
    some document holds it; passages_known, query_known: whether they are; empty: the reply has no text;
    matches_reference: it says what the reference says (by words); contradicts: the turn judge found the reply at odds
    with the passages; by_words: facts that no judge gave.
    """

    kind: str = ""
    needs_asking: bool | None = None
    has_reference: bool = False
    first: bool = True
    asked: bool | None = None
    asked_before: bool = False
    answered: bool | None = None
    passages_known: bool = True
    query_known: bool = True
    empty: bool = False
    invalid: bool = False
    correct: bool | None = None
    passages_sufficient: bool | None = None
    grounded: bool | None = None
    query_dropped_intent: bool = False
    user_words_find_it: bool = False
    in_documents: bool | None = None
    matches_reference: bool | None = None
    contradicts: bool = False
    by_words: frozenset[JudgedFact] = frozenset()

    @property
    def out_of_scope(self) -> bool:
        """Whether the right reply is that the documents do not say."""
        return self.kind in BEYOND_DOCUMENTS


class Diagnosis(NamedTuple):
    """The cause of a turn that lost points: `why` says which row of the table fired, `tell` which judges would tell (more surely)."""

    cause: Cause
    why: str
    by: By = "judges"
    tell: tuple[str, ...] = ()


@dataclass(frozen=True)
class CauseRule:
    """A row of the table; `uses`: the facts it rests on that a judge can give."""

    cause: Cause
    why: str
    holds: Callable[[TurnFacts], bool]
    uses: tuple[JudgedFact, ...] = ()


PASSAGES: tuple[JudgedFact, ...] = ("passages_sufficient",)
BOTH: tuple[JudgedFact, ...] = ("passages_sufficient", "correct")
RULES = (
    CauseRule("simulator", "invalid", lambda k: k.invalid, ("user",)),
    CauseRule("asked", "needless", lambda k: k.asked is True and k.needs_asking is False),
    CauseRule("asked", "again", lambda k: k.asked is True and k.asked_before),
    CauseRule("asked", "poor", lambda k: k.asked is True),
    CauseRule("asked", "missing", lambda k: _not_asked(k)),
    CauseRule("not_supported", "out_of_scope", lambda k: k.out_of_scope and k.answered is True),
    CauseRule("unclear", "empty_beyond", lambda k: k.out_of_scope and k.empty),
    CauseRule("unclear", "right_refusal", lambda k: k.out_of_scope),
    CauseRule("rewrite", "lost", lambda k: k.query_dropped_intent and k.correct is not True),
    CauseRule("not_used", "empty", lambda k: k.empty and k.passages_sufficient is True, PASSAGES),
    CauseRule("refused", "held", lambda k: k.answered is False and k.passages_sufficient is True, PASSAGES),
    CauseRule("not_supported", "right_beside", lambda k: k.correct is True and _beside(k), ("grounded",)),
    CauseRule("unclear", "manner", lambda k: k.correct is True),
    CauseRule("rewrite", "better", lambda k: k.passages_sufficient is False and k.user_words_find_it, PASSAGES),
    CauseRule("not_found", "unwritten", lambda k: k.passages_sufficient is False and k.in_documents is False, PASSAGES),
    CauseRule("not_found", "unseen", lambda k: k.passages_sufficient is False and not k.query_known, PASSAGES),
    CauseRule("not_found", "missed", lambda k: k.passages_sufficient is False, PASSAGES),
    CauseRule("not_supported", "claims", lambda k: _beside(k), ("grounded",)),
    CauseRule(
        "not_supported",
        "contradicts",
        lambda k: k.passages_sufficient is True and k.grounded is None and k.contradicts,
        PASSAGES,
    ),
    CauseRule("not_used", "wrong", lambda k: k.passages_sufficient is True and k.correct is False, BOTH),
    CauseRule("not_used", "lacks", lambda k: k.passages_sufficient is True and k.matches_reference is False, BOTH),
    CauseRule("unknown", "stages", lambda k: not k.passages_known),
    CauseRule("unclear", "no_reference", lambda k: not k.has_reference),
    CauseRule("unclear", "judges", lambda k: True),
)


def diagnose(evidence: TurnFacts) -> Diagnosis:
    """The first row of the table that holds."""
    row = next(row for row in RULES if row.holds(evidence))
    if row.cause in ("unclear", "unknown"):
        return Diagnosis(cause=row.cause, why=row.why, by="record", tell=_would_tell(evidence))
    by_words: list[JudgedFact] = [fact for fact in row.uses if fact in evidence.by_words]
    by: By = "words" if by_words else "judges" if row.uses or row.why == "contradicts" else "record"
    return Diagnosis(cause=row.cause, why=row.why, by=by, tell=tuple(JUDGE_OF[fact] for fact in by_words))


def _not_asked(evidence: TurnFacts) -> bool:
    """Whether the first reply had to be a clarifying question and was none; a right answer needs no excuse."""
    due = evidence.needs_asking and evidence.first and evidence.asked is False
    return bool(due and evidence.correct is not True and not evidence.empty)


def _beside(evidence: TurnFacts) -> bool:
    """Whether the reply says what no passage does; an empty one says nothing."""
    return evidence.grounded is False and not evidence.empty


def _would_tell(evidence: TurnFacts) -> tuple[str, ...]:
    """The judges that have not scored yet and could."""
    if evidence.out_of_scope:
        return ()
    open_facts: list[JudgedFact] = []
    for fact in ("correct", "passages_sufficient", "grounded"):
        is_measured = getattr(evidence, fact) is not None and fact not in evidence.by_words
        able = not evidence.empty or fact == "passages_sufficient"  # no judge of answers tells anything of an empty one
        able = able and (evidence.has_reference or fact == "grounded")
        if not is_measured and able and (evidence.passages_known or fact == "correct"):
            open_facts.append(fact)
    return tuple(JUDGE_OF[fact] for fact in open_facts)
