"""Which scores of a stored turn are stored, failed, or missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from core.base.types import Score
from core.judges.base import Judge
from core.store.rows import ScoreRow, TurnRow


def missing_judges(row: TurnRow, judges: Iterable[Judge]) -> tuple[Judge, ...]:
    """The judges that have not scored a turn in any version, or failed; row: with the scores of all versions."""
    return tuple(judge for judge in judges if not is_scored_by_any_version(judge, row.scores))


def has_failed(score: Score | ScoreRow) -> bool:
    """Whether a judge could not give a score."""
    return score.value is None and bool(score.error)


def is_scored_by_any_version(judge: Judge, scores: Iterable[ScoreRow]) -> bool:
    """Whether one version has scored all criteria in one repeat."""
    judgings: dict[tuple[str, int], list[ScoreRow]] = defaultdict(list)
    for score in scores:
        if score.judge == judge.name:
            judgings[score.version, score.repeat].append(score)
    return any(
        {score.criterion for score in mine} >= set(judge.criteria) and not any(map(has_failed, mine))
        for mine in judgings.values()
    )


def is_scored_by_version(turn: TurnRow, judge: Judge, version: str, verdict: int) -> bool:
    """Whether the judge has given all its scores in this version for this repeat."""
    scores = _scores(turn, judge, version, verdict)
    return {score.criterion for score in scores if not has_failed(score)} >= set(judge.criteria)


def has_version_failed(turn: TurnRow, judge: Judge, version: str, verdict: int) -> bool:
    """Whether the judge failed in this version for this repeat."""
    return any(map(has_failed, _scores(turn, judge, version, verdict)))


def _scores(turn: TurnRow, judge: Judge, version: str, verdict: int) -> list[ScoreRow]:
    key = (judge.name, version, verdict)
    return [score for score in turn.scores if (score.judge, score.version, score.repeat) == key]
