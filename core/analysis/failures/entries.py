"""What to fix first: failures grouped by cause, then by document and question, worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from core.analysis.failures.causes import CAUSES, NOT_A_STAGE, NOT_CLEAR, Cause, Diagnosis, TurnFacts
from core.base.means import ROUNDING
from core.base.translate import Translate

FAILURE_THRESHOLD = 0.6  # an Overall of 3 of 5 or less: a 4 is a good answer with a flaw; the pass mark is for means
CORRECTNESS_CRITERIA = ("correctness.correctness", "qa.qa", "cot_qa.cot_qa")  # Yes or No: is the answer right
T = TypeVar("T")
Verdicts = Mapping[str, float]  # "judge.criterion": its value (0 to 1), the mean if it was given several times


class Failure(NamedTuple):
    """A turn that lost points."""

    turn: int
    conversation: str
    number: int
    turn_number: int  # in its conversation
    scenario: str
    question: str
    kind: str
    persona: str
    persona_name: str
    score: float  # 0 to 1
    overall: float | None
    document: str
    diagnosis: Diagnosis
    facts: TurnFacts  # from which the cause follows
    reference: str
    query: str
    dropped_words: tuple[str, ...] = ()  # words of the user that the search query lacks, if that is the cause

    @property
    def disputed(self) -> bool:
        """Whether the turn judge found the turn good and another judge found it wrong."""
        return self.facts.correct is False and self.overall is not None and not is_failing_score(self.overall)

    @property
    def disputed_by_words(self) -> bool:
        """Whether a judge found the reply wrong although it has the words and figures of the reference."""
        return self.facts.correct is False and self.facts.matches_reference is True

    @property
    def points_lost(self) -> float:
        """Points lost, 0 to 1."""
        return 1.0 - self.score

    def details(self, t: Translate) -> dict[str, str]:
        """The variables of its cause's sentence (`failures.why_…`)."""
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
        """The key under which the entry is marked as fixed."""
        return self.cause, self.document, self.scenario


class Failures(NamedTuple):
    """All failures of a run."""

    turns: tuple[Failure, ...]
    scored: int  # turns with a verdict
    unscored: int  # turns without any, which are in no count
    threshold: float = FAILURE_THRESHOLD  # the Overall (0 to 1) up to which a turn is among them


class PointsLost(NamedTuple):
    """A number of failures and the points they lost."""

    n: int
    points: float


def score_of(verdicts: Verdicts) -> float | None:
    """A turn's score: Overall, but 0 if the answer is wrong, and at most the supported share of its claims if some are
    unsupported; None if none of these judges scored it."""
    known = [verdicts["turn.overall"]] if "turn.overall" in verdicts else []
    if (right := correct(verdicts)) is not None:
        known.append(float(right))
    elif verdicts.get("groundedness.grounded", 1.0) < 0.5:
        known.append(verdicts.get("groundedness.support", 0.0))
    elif "groundedness.grounded" in verdicts and not known:
        known.append(1.0)
    return min(known) if known else None


def is_failing_score(score: float, threshold: float = FAILURE_THRESHOLD) -> bool:
    """Whether a score (0 to 1) is at the threshold or below."""
    return score <= threshold + ROUNDING


def is_failure(verdicts: Verdicts, threshold: float = FAILURE_THRESHOLD) -> bool:
    """Whether a turn lost points: Overall at the threshold or below, wrong, or (if no judge said so) not supported."""
    right = correct(verdicts)
    is_unsupported = right is None and verdicts.get("groundedness.grounded", 1.0) < 0.5
    return right is False or is_unsupported or is_failing_score(verdicts.get("turn.overall", 1.0), threshold)


def correct(verdicts: Verdicts) -> bool | None:
    """Whether the answer is right, by the first judge that scored it."""
    return next((verdicts[name] >= 0.5 for name in CORRECTNESS_CRITERIA if name in verdicts), None)


def failure_entries(failures: Sequence[Failure]) -> list[Entry]:
    """The failures by cause, document and question, each the heaviest first; unclear causes come last."""
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
    """Failures and lost points of each cause, the heaviest first; unclear causes come last."""
    sums: dict[Cause, PointsLost] = _summed(failures, lambda turn: turn.diagnosis.cause)
    return dict(sorted(sums.items(), key=lambda pair: (pair[0] in NOT_CLEAR, -pair[1].points, CAUSES.index(pair[0]))))


def by_document(failures: Iterable[Failure]) -> dict[str, PointsLost]:
    """The same for each document, the heaviest first ("": none is known)."""
    sums = _summed(failures, lambda turn: turn.document)
    return dict(sorted(sums.items(), key=lambda pair: (-pair[1].points, pair[0])))


def heaviest_causes(losses: Mapping[Cause, PointsLost]) -> list[Cause]:
    """The clear causes (`by_cause`) that lost most, several if they lost the same in tenths of a point, as is shown."""
    clear: dict[Cause, float] = {
        cause: round(lost.points, 1) for cause, lost in losses.items() if cause not in NOT_A_STAGE
    }
    most = max(clear.values(), default=0.0)
    return [cause for cause, points in clear.items() if points == most]


def first_fix(failures: Sequence[Failure]) -> tuple[Cause, str] | None:
    """Where to begin: the clear cause that lost most, and its worst document; None if no cause is clear."""
    for cause in heaviest_causes(by_cause(failures)):
        return cause, next(filter(None, by_document(_of_cause(failures, cause))), "")
    return None


def judges_for_unclear(failures: Iterable[Failure]) -> tuple[str, ...]:
    """The judges that would decide the unclear causes."""
    unclear = (turn.diagnosis for turn in failures if turn.diagnosis.cause in NOT_CLEAR)
    return tuple(dict.fromkeys(judge for diagnosis in unclear for judge in diagnosis.deciding_judges))


def judges_to_confirm(failures: Iterable[Failure]) -> tuple[str, ...]:
    """The judges that would confirm the causes that words alone decided."""
    by_words = (turn.diagnosis for turn in failures if turn.diagnosis.by == "words")
    return tuple(dict.fromkeys(judge for diagnosis in by_words for judge in diagnosis.deciding_judges))


def _summed(failures: Iterable[Failure], of: Callable[[Failure], T]) -> dict[T, PointsLost]:
    lost: dict[T, list[float]] = defaultdict(list)
    for turn in failures:
        lost[of(turn)].append(turn.points_lost)
    return {name: PointsLost(len(points), sum(points)) for name, points in lost.items()}
