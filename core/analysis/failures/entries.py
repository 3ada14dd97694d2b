"""What to fix first: failures grouped by cause, then by document and question, worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from core.analysis.failures.causes import CAUSES, Cause, Diagnosis, Evidence

FAILURE_THRESHOLD = (
    0.6  # an Overall of 3 of 5 or less: a 4 is a good answer with a flaw, and the pass mark is meant for means
)
CORRECT = ("correctness.correctness", "qa.qa", "cot_qa.cot_qa")  # whose Yes or No says whether an answer is right
T = TypeVar("T")
Verdicts = Mapping[str, float]  # "judge.criterion": its value (0 to 1), the mean if it was given several times


class Failure(NamedTuple):
    """A turn that lost points. score: 0 to 1; at: which turn of its conversation; details: what its sentence names.

    evidence: the facts that the cause follows from.
    """

    turn: int
    conversation: str
    number: int
    at: int
    scenario: str
    question: str
    kind: str
    persona: str
    persona_name: str
    score: float
    overall: float | None
    document: str
    diagnosis: Diagnosis
    evidence: Evidence
    details: Mapping[str, str]

    @property
    def disputed(self) -> bool:
        """Whether the turn judge found it good that another judge found wrong."""
        return self.evidence.correct is False and self.overall is not None and not is_failing_score(self.overall)

    @property
    def disputed_by_words(self) -> bool:
        """Whether a judge found the reply not right, though the words and figures of the reference stand in it."""
        return self.evidence.correct is False and self.evidence.matches_reference is True

    @property
    def points_lost(self) -> float:
        """Points lost, 0 to 1."""
        return 1.0 - self.score


class FailureLike(Protocol):
    """What the list goes by: a failure, or as much of it as is needed here."""

    @property
    def diagnosis(self) -> Diagnosis: ...
    @property
    def document(self) -> str: ...
    @property
    def scenario(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def points_lost(self) -> float: ...


L = TypeVar("L", bound=FailureLike)


class Entry(NamedTuple, Generic[L]):
    """All failures of one cause, document and scenario, the worst first."""

    cause: Cause
    document: str
    scenario: str
    turns: tuple[L, ...]

    @property
    def points_lost(self) -> float:
        """Points lost by all of them."""
        return sum(turn.points_lost for turn in self.turns)

    @property
    def key(self) -> tuple[Cause, str, str]:
        """What a mark on the entry goes by."""
        return self.cause, self.document, self.scenario


class Failures(NamedTuple):
    """All failures of a run; scored: turns with a verdict; unscored: turns without any, which are in no count."""

    turns: tuple[Failure, ...]
    scored: int
    unscored: int


class PointsLost(NamedTuple):
    """How many failures, and points lost."""

    n: int
    points: float


def score_of(verdicts: Verdicts) -> float | None:
    """A turn's score: Overall, but 0 if the answer is wrong, and no more than its supported share of claims if
    it says what is not there; none if none of these judges scored it."""
    known = [verdicts[name] for name in ("turn.overall",) if name in verdicts]
    if (right := correct(verdicts)) is not None:
        known.append(float(right))
    elif verdicts.get("groundedness.grounded", 1.0) < 0.5:
        known.append(verdicts.get("groundedness.support", 0.0))
    elif "groundedness.grounded" in verdicts and not known:
        known.append(1.0)
    return min(known) if known else None


def is_failing_score(score: float, threshold: float = FAILURE_THRESHOLD) -> bool:
    """Whether a score (0 to 1) is at the threshold or below."""
    return score <= threshold + 1e-9


def is_failure(verdicts: Verdicts, threshold: float = FAILURE_THRESHOLD) -> bool:
    """Whether a turn lost points: Overall at the threshold or below, not right, or (if no judge said) not supported."""
    right = correct(verdicts)
    beside = right is None and verdicts.get("groundedness.grounded", 1.0) < 0.5
    return right is False or beside or is_failing_score(verdicts.get("turn.overall", 1.0), threshold)


def correct(verdicts: Verdicts) -> bool | None:
    """Whether the answer is right, by the first judge that said."""
    return next((verdicts[name] >= 0.5 for name in CORRECT if name in verdicts), None)


def group_failures(turns: Iterable[L]) -> list[Entry[L]]:
    """The turns by cause, document and scenario; the entry that lost most stands first."""
    groups: dict[tuple[Cause, str, str], list[L]] = defaultdict(list)
    for turn in turns:
        groups[turn.diagnosis.cause, turn.document, turn.scenario].append(turn)
    entries = [
        Entry(
            cause=cause, document=document, scenario=scenario, turns=tuple(sorted(members, key=lambda turn: turn.score))
        )
        for (cause, document, scenario), members in groups.items()
    ]
    return sorted(entries, key=lambda entry: (-entry.points_lost, entry.key))


def order_entries(entries: Sequence[Entry[L]]) -> list[Entry[L]]:
    """By cause, then by document, then by question, each the heaviest first; what is not clear comes last."""
    causes: dict[Cause, int] = {cause: place for place, cause in enumerate(by_cause(_turns_of(entries)))}
    documents = {
        cause: {name: place for place, name in enumerate(by_document(_turns_of(entries, cause)))} for cause in causes
    }
    return sorted(
        entries,
        key=lambda entry: (
            causes[entry.cause],
            documents[entry.cause][entry.document],
            -entry.points_lost,
            entry.scenario,
        ),
    )


def _turns_of(entries: Iterable[Entry[L]], cause: Cause | None = None) -> list[L]:
    """The turns of the entries, or of those with one cause."""
    return [turn for entry in entries if cause in (None, entry.cause) for turn in entry.turns]


def by_cause(turns: Iterable[FailureLike]) -> dict[Cause, PointsLost]:
    """Low turns and lost points of each cause that is there, the heaviest first; what is not clear comes last."""
    causes = _summed(turns, lambda turn: turn.diagnosis.cause)
    ordered: list[Cause] = [cause for cause in CAUSES if cause in causes]
    ordered.sort(key=lambda cause: (cause in ("unclear", "unknown"), -causes[cause].points))
    sums: dict[Cause, PointsLost] = {cause: causes[cause] for cause in ordered}
    return sums


def by_document(turns: Iterable[FailureLike]) -> dict[str, PointsLost]:
    """The same for each document, the heaviest first ("": none is known)."""
    return dict(sorted(_summed(turns, lambda turn: turn.document).items(), key=lambda pair: (-pair[1].points, pair[0])))


def first_fix(turns: Sequence[FailureLike]) -> tuple[Cause, str] | None:
    """Where to begin: the cause that lost most and is clear, and its worst document; none if nothing is clear."""
    clear: list[Cause] = [cause for cause in by_cause(turns) if cause not in ("unclear", "unknown", "simulator")]
    if not clear:
        return None
    return clear[0], next(
        (name for name in by_document(turn for turn in turns if turn.diagnosis.cause == clear[0]) if name), ""
    )


def judges_for_unclear(turns: Iterable[Failure]) -> tuple[str, ...]:
    """The judges that would tell the cause of turns that are not clear yet."""
    open_ones = (turn for turn in turns if turn.diagnosis.cause in ("unclear", "unknown"))
    return tuple(dict.fromkeys(judge for turn in open_ones for judge in turn.diagnosis.tell))


def judges_to_confirm(turns: Iterable[Failure]) -> tuple[str, ...]:
    """The judges that would make sure of causes which only words tell."""
    by_words = (turn for turn in turns if turn.diagnosis.by == "words")
    return tuple(dict.fromkeys(judge for turn in by_words for judge in turn.diagnosis.tell))


def _summed(turns: Iterable[FailureLike], of: Callable[[FailureLike], T]) -> dict[T, PointsLost]:
    lost: dict[T, list[float]] = defaultdict(list)
    for turn in turns:
        lost[of(turn)].append(1.0 - turn.score)
    return {name: PointsLost(len(points), sum(points)) for name, points in lost.items()}
