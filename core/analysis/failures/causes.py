"""Which stage lost a turn its points: one cause for each failure, by a table whose rules are tried in order.

The simulated user comes first, then asking, then searching and answering: after a stage that failed the later ones could
not be right. If neither judges nor words decide it, the cause is "unclear"; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from core.base.types import BEYOND_DOCUMENTS

Cause = Literal[
    "asked", "rewrite", "not_found", "not_used", "not_supported", "refused", "simulator", "unclear", "unknown"
]
By = Literal["judges", "record", "words"]
JudgedFact = Literal["passages_sufficient", "grounded", "correct", "user"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
NOT_CLEAR: tuple[Cause, ...] = ("unclear", "unknown")
NOT_A_STAGE: tuple[Cause, ...] = (*NOT_CLEAR, "simulator")
JUDGE_OF: dict[JudgedFact, str] = {
    "passages_sufficient": "sufficiency",
    "grounded": "groundedness",
    "correct": "correctness",
    "user": "simulated_user",
}


class TurnFacts(NamedTuple):
    """What is known of a turn that lost points; None if no judge (or record) says."""

    kind: str = ""
    needs_asking: bool | None = None
    has_reference: bool = False
    first: bool = True
    asked: bool | None = None  # whether it asked a clarifying question
    asked_before: bool = False  # whether an earlier turn did
    answered: bool | None = None
    passages_known: bool = True
    query_known: bool = True
    empty: bool = False  # the reply has no text
    invalid: bool = False
    correct: bool | None = None
    passages_sufficient: bool | None = None  # whether the passages contain the answer
    grounded: bool | None = None
    query_dropped_intent: bool = False  # the query lacks what the user had said of the intent
    user_words_find_it: bool = False  # the user's own words would have found the answer, the query did not
    in_documents: bool | None = None  # whether some document contains the answer
    matches_reference: bool | None = None  # whether the reply says what the reference says, by its words
    contradicts: bool = False  # the turn judge found that the reply contradicts the passages
    by_words: frozenset[JudgedFact] = frozenset()  # facts that come from words, not from a judge

    @property
    def out_of_scope(self) -> bool:
        """Whether the right reply is that the documents have no answer."""
        return self.kind in BEYOND_DOCUMENTS

    @property
    def answer_in_passages(self) -> bool:
        return self.passages_sufficient is True

    @property
    def answer_missed(self) -> bool:
        return self.passages_sufficient is False

    @property
    def unsupported(self) -> bool:
        """Whether the reply says what no passage says; an empty reply says nothing."""
        return self.grounded is False and not self.empty

    @property
    def not_asked(self) -> bool:
        """Whether the first reply had to be a clarifying question and was not; a right answer is accepted."""
        needed = self.needs_asking and self.first and self.asked is False
        return bool(needed and self.correct is not True and not self.empty)


class Diagnosis(NamedTuple):
    """The cause of a turn that lost points."""

    cause: Cause
    why: str  # the key of the rule that applies
    by: By = "judges"
    deciding_judges: tuple[str, ...] = ()  # judges that would decide the cause, or confirm it


@dataclass(frozen=True)
class CauseRule:
    """A row of the table of causes."""

    cause: Cause
    why: str  # the key of its sentence (`failures.why_…`)
    applies: Callable[[TurnFacts], bool]
    uses: tuple[JudgedFact, ...] = ()  # the facts it depends on that a judge can give


PASSAGES: tuple[JudgedFact, ...] = ("passages_sufficient",)
BOTH: tuple[JudgedFact, ...] = ("passages_sufficient", "correct")
# Rules that hold whether or not the passages contain the answer
RULES_WITHOUT_PASSAGES = (
    CauseRule("simulator", "invalid", lambda turn: turn.invalid, ("user",)),
    CauseRule("asked", "needless", lambda turn: turn.asked is True and turn.needs_asking is False),
    CauseRule("asked", "asked_again", lambda turn: turn.asked is True and turn.asked_before),
    CauseRule("asked", "asked_poorly", lambda turn: turn.asked is True),
    CauseRule("asked", "not_asked", lambda turn: turn.not_asked),
    CauseRule("not_supported", "out_of_scope", lambda turn: turn.out_of_scope and turn.answered is True),
    CauseRule("unclear", "empty_out_of_scope", lambda turn: turn.out_of_scope and turn.empty),
    CauseRule("unclear", "right_refusal", lambda turn: turn.out_of_scope),
    CauseRule("rewrite", "query_lost_intent", lambda turn: turn.query_dropped_intent and turn.correct is not True),
)
RULES_WITH_PASSAGES = (
    CauseRule("not_used", "empty", lambda turn: turn.empty and turn.answer_in_passages, PASSAGES),
    CauseRule(
        "refused", "answer_in_passages", lambda turn: turn.answered is False and turn.answer_in_passages, PASSAGES
    ),
    CauseRule(
        "not_supported", "right_but_unsupported", lambda turn: turn.correct is True and turn.unsupported, ("grounded",)
    ),
    CauseRule("unclear", "right_but_low", lambda turn: turn.correct is True),
    CauseRule("rewrite", "user_words_find_it", lambda turn: turn.answer_missed and turn.user_words_find_it, PASSAGES),
    CauseRule(
        "not_found", "not_in_documents", lambda turn: turn.answer_missed and turn.in_documents is False, PASSAGES
    ),
    CauseRule("not_found", "query_unknown", lambda turn: turn.answer_missed and not turn.query_known, PASSAGES),
    CauseRule("not_found", "missed", lambda turn: turn.answer_missed, PASSAGES),
    CauseRule("not_supported", "unsupported_claims", lambda turn: turn.unsupported, ("grounded",)),
    CauseRule(
        "not_supported",
        "contradicts",
        lambda turn: turn.answer_in_passages and turn.grounded is None and turn.contradicts,
        PASSAGES,
    ),
    CauseRule("not_used", "judged_wrong", lambda turn: turn.answer_in_passages and turn.correct is False, BOTH),
    CauseRule(
        "not_used", "lacks_reference", lambda turn: turn.answer_in_passages and turn.matches_reference is False, BOTH
    ),
    CauseRule("unknown", "stages_unknown", lambda turn: not turn.passages_known),
    CauseRule("unclear", "no_reference", lambda turn: not turn.has_reference),
    CauseRule("unclear", "no_verdict", lambda turn: True),
)
RULES = (*RULES_WITHOUT_PASSAGES, *RULES_WITH_PASSAGES)


def diagnose(facts: TurnFacts) -> Diagnosis:
    """The first rule of the table that applies."""
    rule = next(rule for rule in RULES if rule.applies(facts))
    if rule.cause in NOT_CLEAR:
        return Diagnosis(cause=rule.cause, why=rule.why, by="record", deciding_judges=_deciding_judges(facts))
    by_words: list[JudgedFact] = [fact for fact in rule.uses if fact in facts.by_words]
    by: By = "words" if by_words else "judges" if rule.uses or rule.why == "contradicts" else "record"
    return Diagnosis(cause=rule.cause, why=rule.why, by=by, deciding_judges=tuple(JUDGE_OF[fact] for fact in by_words))


def _deciding_judges(facts: TurnFacts) -> tuple[str, ...]:
    """The judges that have not scored the turn and could."""
    if facts.out_of_scope:
        return ()
    open_facts: list[JudgedFact] = []
    for fact in ("correct", "passages_sufficient", "grounded"):
        is_measured = getattr(facts, fact) is not None and fact not in facts.by_words
        able = not facts.empty or fact == "passages_sufficient"  # judges of answers cannot judge an empty one
        able = able and (facts.has_reference or fact == "grounded")
        if not is_measured and able and (facts.passages_known or fact == "correct"):
            open_facts.append(fact)
    return tuple(JUDGE_OF[fact] for fact in open_facts)
