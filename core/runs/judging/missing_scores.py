"""Which judges have not scored a stored turn, or failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from core.base.types import Score
from core.judges.base import Judge
from core.store.rows import ScoreRow, TurnRow


def missing_judges(row: TurnRow, judges: Iterable[Judge]) -> tuple[Judge, ...]:
    """The judges that have not scored a turn in any version, or failed; row: with the scores of all versions."""
    return tuple(judge for judge in judges if not _is_scored_by_any_version(judge, row.scores))


def has_failed(score: Score | ScoreRow) -> bool:
    """Whether a judge could not give a score."""
    return score.value is None and bool(score.error)


def _is_scored_by_any_version(judge: Judge, scores: Iterable[ScoreRow]) -> bool:
    """Whether one version has scored all criteria in one repeat."""
    judgings: dict[tuple[str, int], list[ScoreRow]] = defaultdict(list)
    for score in scores:
        if score.judge == judge.name:
            judgings[score.version, score.repeat].append(score)
    return any(
        {score.criterion for score in mine} >= set(judge.criteria) and not any(map(has_failed, mine))
        for mine in judgings.values()
    )


def missing_by_version(
    row: TurnRow, judges: Iterable[Judge], versions: Mapping[str, str], verdict: int
) -> tuple[tuple[Judge, ...], tuple[Judge, ...]]:
    """(the judges that have not scored a turn in these versions for this repeat, those that failed)."""
    unasked: list[Judge] = []
    failed: list[Judge] = []
    for judge in judges:
        key = (judge.name, versions[judge.name], verdict)
        scores = [score for score in row.scores if (score.judge, score.version, score.repeat) == key]
        if not {score.criterion for score in scores if not has_failed(score)} >= set(judge.criteria):
            (failed if any(map(has_failed, scores)) else unasked).append(judge)
    return tuple(unasked), tuple(failed)
