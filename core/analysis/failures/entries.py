"""What to fix first: failures grouped by cause, then by document and question, worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from core.analysis.failures.causes import CAUSES, Cause, Diagnosis, TurnFacts
from core.base.translate import Translate

FAILURE_THRESHOLD = 0.6  # an Overall of 3 of 5 or less: a 4 is a good answer with a flaw; the pass mark is for means
NOT_CLEAR: tuple[Cause, ...] = ("unclear", "unknown")
CORRECT = ("correctness.correctness", "qa.qa", "cot_qa.cot_qa")  # whose Yes or No says whether an answer is right
T = TypeVar("T")
Verdicts = Mapping[str, float]  # "judge.criterion": its value (0 to 1), the mean if it was given several times


class Failure(NamedTuple):
    """A turn that lost points. score: 0 to 1; at: which turn of its conversation; evidence: what its cause follows from.

    dropped_words: what the person said and the search query lacks, if that is the cause.
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
    evidence: TurnFacts
    reference: str
    query: str
    dropped_words: tuple[str, ...] = ()

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

    def details(self, t: Translate) -> dict[str, str]:
        """What the sentence of its cause names (`failures.why_…`)."""
        lost = t("common.comma").join(self.dropped_words)
        return {"document": self.document, "reference": self.reference, "query": self.query, "lost": lost}


class Entry(NamedTuple):
    """All failures of one cause, document and scenario, the worst first."""

    cause: Cause
    document: str
    scenario: str
    turns: tuple[Failure, ...]

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


def failure_entries(failures: Sequence[Failure]) -> list[Entry]:
    """The failures by cause, then by document, then by question, each the heaviest first; what is not clear comes last."""
    groups: dict[tuple[Cause, str, str], list[Failure]] = defaultdict(list)
    for turn in failures:
        groups[turn.diagnosis.cause, turn.document, turn.scenario].append(turn)
    causes = list(by_cause(failures))
    documents = {cause: list(by_document(_of_cause(failures, cause))) for cause in causes}
    entries = [Entry(*key, tuple(sorted(turns, key=lambda turn: turn.score))) for key, turns in groups.items()]

    def place(entry: Entry) -> tuple[int, int, float, str]:
        document = documents[entry.cause].index(entry.document)
        return causes.index(entry.cause), document, -entry.points_lost, entry.scenario

    return sorted(entries, key=place)


def _of_cause(failures: Iterable[Failure], cause: Cause) -> list[Failure]:
    return [turn for turn in failures if turn.diagnosis.cause == cause]


def by_cause(failures: Iterable[Failure]) -> dict[Cause, PointsLost]:
    """How many failures and lost points each cause has, the heaviest first; what is not clear comes last."""
    sums: dict[Cause, PointsLost] = _summed(failures, lambda turn: turn.diagnosis.cause)
    return dict(sorted(sums.items(), key=lambda pair: (pair[0] in NOT_CLEAR, -pair[1].points, CAUSES.index(pair[0]))))


def by_document(failures: Iterable[Failure]) -> dict[str, PointsLost]:
    """The same for each document, the heaviest first ("": none is known)."""
    sums = _summed(failures, lambda turn: turn.document)
    return dict(sorted(sums.items(), key=lambda pair: (-pair[1].points, pair[0])))


def first_fix(failures: Sequence[Failure]) -> tuple[Cause, str] | None:
    """Where to begin: the cause that lost most and is clear, and its worst document; none if nothing is clear."""
    for cause in by_cause(failures):
        if cause not in (*NOT_CLEAR, "simulator"):
            return cause, next(filter(None, by_document(_of_cause(failures, cause))), "")
    return None


def judges_for_unclear(failures: Iterable[Failure]) -> tuple[str, ...]:
    """The judges that would tell the cause of turns that are not clear yet."""
    return _judges_telling(turn for turn in failures if turn.diagnosis.cause in NOT_CLEAR)


def judges_to_confirm(failures: Iterable[Failure]) -> tuple[str, ...]:
    """The judges that would make sure of causes which only words tell."""
    return _judges_telling(turn for turn in failures if turn.diagnosis.by == "words")


def _judges_telling(failures: Iterable[Failure]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(judge for turn in failures for judge in turn.diagnosis.tell))


def _summed(failures: Iterable[Failure], of: Callable[[Failure], T]) -> dict[T, PointsLost]:
    lost: dict[T, list[float]] = defaultdict(list)
    for turn in failures:
        lost[of(turn)].append(turn.points_lost)
    return {name: PointsLost(len(points), sum(points)) for name, points in lost.items()}
