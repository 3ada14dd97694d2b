"""Which stage lost a turn its points: one cause for each low turn, from a table whose rows are tried in order.

The stages are looked at in the order in which they work (simulated user, asking, searching, answering), and the first
one that broke is named, since what comes after it could not be right any more. What no judge has told and no words
tell is "unclear": it is never guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

Cause = Literal[
    "asked", "rewrite", "not_found", "not_used", "not_supported", "refused", "simulator", "unclear", "unknown"
]
By = Literal["judges", "record", "words"]
Fact = Literal["enough", "grounded", "correct", "user"]
CAUSES: tuple[Cause, ...] = (
    "asked", "rewrite", "not_found", "not_used", "not_supported", "refused", "simulator", "unclear", "unknown",
)  # fmt: skip
JUDGE_OF: dict[Fact, str] = {
    "enough": "sufficiency",
    "grounded": "groundedness",
    "correct": "correctness",
    "user": "simulated_user",
}


class Evidence(NamedTuple):
    """What is known of a turn that lost points; none: nobody has told.

    asked: whether it asked a clarifying question; asked_before: an earlier turn did; enough: the passages hold the answer; lost: the
    query dropped what the person had said of the need; better: what the person had said would have found the answer
    where the query did not; written: some document holds it; stages: whether the passages are known; queried: whether
    the query is; empty: the reply has no text; matches_reference: it says what the reference says (by words); contradicts: the turn
    judge found the reply at odds with the passages; by_words: facts that no judge gave.
    """

    kind: str = ""
    needs_asking: bool | None = None
    has_reference: bool = False
    first: bool = True
    asked: bool | None = None
    asked_before: bool = False
    answered: bool | None = None
    stages: bool = True
    queried: bool = True
    empty: bool = False
    invalid: bool = False
    correct: bool | None = None
    enough: bool | None = None
    grounded: bool | None = None
    lost: bool = False
    better: bool = False
    written: bool | None = None
    matches_reference: bool | None = None
    contradicts: bool = False
    by_words: frozenset[Fact] = frozenset()

    @property
    def out_of_scope(self) -> bool:
        """Whether the right reply is that the documents do not say."""
        return self.kind == "out_of_scope"


class Diagnosis(NamedTuple):
    """The cause of a turn that lost points: `why` says which row of the table fired, `tell` which judges would tell (more surely)."""

    cause: Cause
    why: str
    by: By = "judges"
    tell: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A row of the table; `uses`: the facts it rests on that a judge can give."""

    cause: Cause
    why: str
    holds: Callable[[Evidence], bool]
    uses: tuple[Fact, ...] = ()


RULES = (
    Rule("simulator", "invalid", lambda k: k.invalid, ("user",)),
    Rule("asked", "needless", lambda k: k.asked is True and k.needs_asking is False),
    Rule("asked", "again", lambda k: k.asked is True and k.asked_before),
    Rule("asked", "poor", lambda k: k.asked is True),
    Rule("asked", "missing", lambda k: _not_asked(k)),
    Rule("not_supported", "out_of_scope", lambda k: k.out_of_scope and k.answered is True),
    Rule("unclear", "empty_beyond", lambda k: k.out_of_scope and k.empty),
    Rule("unclear", "right_refusal", lambda k: k.out_of_scope),
    Rule("rewrite", "lost", lambda k: k.lost and k.correct is not True),
    Rule("not_used", "empty", lambda k: k.empty and k.enough is True, ("enough",)),
    Rule("refused", "held", lambda k: k.answered is False and k.enough is True, ("enough",)),
    Rule("not_supported", "right_beside", lambda k: k.correct is True and _beside(k), ("grounded",)),
    Rule("unclear", "manner", lambda k: k.correct is True),
    Rule("rewrite", "better", lambda k: k.enough is False and k.better, ("enough",)),
    Rule("not_found", "unwritten", lambda k: k.enough is False and k.written is False, ("enough",)),
    Rule("not_found", "unseen", lambda k: k.enough is False and not k.queried, ("enough",)),
    Rule("not_found", "missed", lambda k: k.enough is False, ("enough",)),
    Rule("not_supported", "claims", lambda k: _beside(k), ("grounded",)),
    Rule(
        "not_supported", "contradicts", lambda k: k.enough is True and k.grounded is None and k.contradicts, ("enough",)
    ),
    Rule("not_used", "wrong", lambda k: k.enough is True and k.correct is False, ("enough", "correct")),
    Rule("not_used", "lacks", lambda k: k.enough is True and k.matches_reference is False, ("enough", "correct")),
    Rule("unknown", "stages", lambda k: not k.stages),
    Rule("unclear", "no_reference", lambda k: not k.has_reference),
    Rule("unclear", "judges", lambda k: True),
)


def diagnose(known: Evidence) -> Diagnosis:
    """The first row of the table that holds."""
    row = next(row for row in RULES if row.holds(known))
    if row.cause in ("unclear", "unknown"):
        return Diagnosis(cause=row.cause, why=row.why, by="record", tell=_would_tell(known))
    by_words: list[Fact] = [fact for fact in row.uses if fact in known.by_words]
    by: By = "words" if by_words else "judges" if row.uses or row.why == "contradicts" else "record"
    return Diagnosis(cause=row.cause, why=row.why, by=by, tell=tuple(JUDGE_OF[fact] for fact in by_words))


def _not_asked(known: Evidence) -> bool:
    """Whether the first reply had to be a clarifying question and was none; a right answer needs no excuse."""
    due = known.needs_asking and known.first and known.asked is False
    return bool(due and known.correct is not True and not known.empty)


def _beside(known: Evidence) -> bool:
    """Whether the reply says what no passage does; an empty one says nothing."""
    return known.grounded is False and not known.empty


def _would_tell(known: Evidence) -> tuple[str, ...]:
    """The judges that have not told yet and could."""
    if known.out_of_scope:
        return ()
    open_facts: list[Fact] = []
    for fact in ("correct", "enough", "grounded"):
        given = getattr(known, fact) is not None and fact not in known.by_words
        able = fact == "enough" if known.empty else True  # of an empty reply no judge of answers tells anything
        able = able and (known.has_reference or fact == "grounded")
        if not given and able and (known.stages or fact == "correct"):
            open_facts.append(fact)
    return tuple(JUDGE_OF[fact] for fact in open_facts)
