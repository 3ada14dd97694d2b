"""Several judges on one sample: a score for every criterion, whatever happens."""

from __future__ import annotations

import logging
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from core.base.errors import sentence
from core.base.prompt import Engine, NeedsModel
from core.base.types import Language, Sample, Score
from core.judge.judge import How, Judge, Need, lacks, skips

FILE = Path(__file__).with_name("needs.toml")
_LOG = logging.getLogger(__name__)


def judge_all(engine: Engine, judges: Sequence[Judge], sample: Sample, how: How) -> tuple[Score, ...]:
    """The scores of all judges, in order; what cannot be judged is unscored, and its error says why."""
    return tuple(score for group in groups_of(judges, how) for score in _judged(engine, group, sample, how))


def judge_one(engine: Engine, judge: Judge, sample: Sample, how: How) -> tuple[Score, ...]:
    """The scores of one judge, likewise."""
    return judge_all(engine, (judge,), sample, how)


def unscored(judge: Judge, error: str) -> tuple[Score, ...]:
    """A row for every criterion of the judge that says why there is no score."""
    return tuple(Score(judge=judge.name, criterion=name, value=None, error=error) for name in judge.criteria)


def groups_of(judges: Iterable[Judge], how: How) -> list[tuple[Judge, ...]]:
    """Judges that can share a call and stand side by side, together; each other one alone."""
    if not how.together:
        return [(judge,) for judge in judges]
    groups: list[tuple[Judge, ...]] = []
    for _, same in groupby(judges, key=lambda judge: judge.bundle or judge.name):
        groups.append(tuple(same))
    return groups


def _judged(engine: Engine, group: tuple[Judge, ...], sample: Sample, how: How) -> tuple[Score, ...]:
    able = tuple(judge for judge in group if not lacks(judge, sample) and not skips(judge, sample))
    scores: dict[str, tuple[Score, ...]] = {judge.name: _lacking(judge, sample, how.language) for judge in group}
    if able:
        found = _called(engine, able, sample, how)
        scores |= {judge.name: tuple(score for score in found if score.judge == judge.name) for judge in able}
    return tuple(score for judge in group for score in scores[judge.name])


def _called(engine: Engine, able: tuple[Judge, ...], sample: Sample, how: How) -> tuple[Score, ...]:
    first = able[0]
    try:
        return first.scores(engine, sample, how) if len(able) == 1 else first.scores_together(able)(engine, sample, how)
    except NeedsModel:
        return tuple(score for one in able for score in unscored(one, needs_model(one, how.language)))
    except Exception as error:
        _LOG.warning("%s could not judge", first.name, exc_info=not hasattr(error, "key"))
        return tuple(score for one in able for score in unscored(one, sentence(error)))


def _lacking(judge: Judge, sample: Sample, language: Language) -> tuple[Score, ...]:
    words = _words()
    if skips(judge, sample):
        return unscored(judge, words["asks_back"][language].format(judge=judge.name))
    missing: tuple[Need, ...] = lacks(judge, sample)
    what = words["join"][language].join(words["what"][need][language] for need in missing)
    if not sample.contexts_known and {"contexts", "grounds"} & {*missing}:
        return unscored(judge, words["untold"][language].format(judge=judge.name, what=what))
    return unscored(judge, words["lacks"][language].format(judge=judge.name, what=what))


def needs_model(judge: Judge, language: Language) -> str:
    """The sentence for a row that only a language model could fill."""
    return _words()["needs_model"][language].format(judge=judge.name)


@cache
def _words() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FILE.read_text("utf-8"))
