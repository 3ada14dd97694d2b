"""All judges by name: those that ship with Kiku, criteria, and a bot's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import get_args

from rapidfuzz import fuzz, process

from core.base.errors import BadInput
from core.base.types import Bot
from core.judges.base import Judge
from core.judges.criteria.criteria import Family, built_in_criteria, criterion_judge
from core.judges.custom.criteria_file import custom_criteria_or_problems, may_be_criterion
from core.judges.custom.loading import load_custom
from core.judges.custom.python_judges import broken_judge, problem

# Names of judges by module; a module is imported when one of its judges is used.
JUDGE_MODULES: dict[str, tuple[str, ...]] = {
    "core.judges.turn.turn": ("turn",),
    "core.judges.correctness.correctness": ("correctness",),
    "core.judges.groundedness.groundedness": ("groundedness",),
    "core.judges.groundedness.sufficiency": ("sufficiency",),
    "core.judges.relevance.relevance": ("relevance",),
    "core.judges.quiz.quiz": ("qa", "context_qa", "cot_qa"),
    "core.judges.keypoints.keypoints": ("keypoints",),
    "core.judges.retrieval.retrieval": ("retrieval",),
    "core.judges.baselines.distances": ("embedding_distance", "string_distance"),
    "core.judges.baselines.similarity": ("similarity", "keyword_overlap"),
    "core.judges.baselines.rubric": ("five_star", "five_point"),
    "core.judges.simulated_user.simulated_user": ("simulated_user",),
}
_MODULE_OF = {name: module for module, names in JUDGE_MODULES.items() for name in names}
_MIN_NAME_SIMILARITY = 60.0  # similarity (0 to 100) from which a known name is suggested for an unknown one


@dataclass(frozen=True)
class ListedJudge:
    """A judge in the list of a page."""

    judge: Judge
    problem: BadInput | None = None  # why it cannot be used


def judges_of(names: Iterable[str], bot: Bot | None = None) -> tuple[Judge, ...]:
    """The named judges in order, each once; `bot`: also find its own judges.

    Raises BadInput (`unknown_judge`) for an unknown name. A judge of the bot's own that cannot be loaded raises
    nothing: its scores have the error.
    """
    return tuple(_named(name, bot) for name in dict.fromkeys(names))


def all_judges(bot: Bot | None = None) -> tuple[ListedJudge, ...]:
    """All judges, the bot's own last."""
    built_in = (ListedJudge(_built_in(name)) for name in _MODULE_OF)
    criteria = (
        ListedJudge(_criterion_judge(name, family)) for family in get_args(Family) for name in built_in_criteria()
    )
    return (*built_in, *criteria, *(_own(bot) if bot else ()))


def lower_is_better(name: str, bot: Bot | None = None) -> frozenset[str]:
    """The lower-is-better criteria of a judge; empty for a judge that no longer exists."""
    try:
        return _named(name, bot).lower_is_better
    except BadInput:
        return frozenset()


def _named(name: str, bot: Bot | None) -> Judge:
    family, _, criterion = name.partition(":")
    if name in _MODULE_OF:
        return _built_in(name)
    if family in get_args(Family) and criterion in built_in_criteria():
        return _criterion_judge(criterion, family)  # pyright: ignore[reportArgumentType]
    own = _own(bot) if bot else ()
    found = next((listed.judge for listed in own if listed.judge.name == name), None)
    found = found or (_not_loaded(name, bot) if bot else None)
    if found is None:
        raise _unknown(name, (*_MODULE_OF, *_criteria_names(), *(listed.judge.name for listed in own)))
    return found


@cache
def _built_in(name: str) -> Judge:
    """The judge of a family: the module's JUDGE, or the one of that name in its JUDGES."""
    module = import_module(_MODULE_OF[name])
    judges: tuple[Judge, ...] = getattr(module, "JUDGES", None) or (module.JUDGE,)
    return next(judge for judge in judges if judge.name == name)


@cache
def _criterion_judge(name: str, family: Family) -> Judge:
    return criterion_judge(built_in_criteria()[name], family)


def _criteria_names() -> Iterator[str]:
    return (f"{family}:{name}" for family in get_args(Family) for name in built_in_criteria())


def _own(bot: Bot) -> tuple[ListedJudge, ...]:
    """The bot's own criteria and judges; what cannot be loaded is listed with its problem."""
    loaded = load_custom(bot)
    code = (ListedJudge(judge, loaded.problems.get(name)) for name, judge in loaded.judges.items())
    return (*_custom_criteria(bot), *code)


def _custom_criteria(bot: Bot) -> Iterator[ListedJudge]:
    """The bot's own criteria, in the one form that each has; a file that cannot be read is listed under its name."""
    for name, one in custom_criteria_or_problems(bot):
        if isinstance(one, BadInput):
            is_built_in = name.lower() in built_in_criteria()
            listed = f"criteria:criteria.toml[{name}]" if is_built_in else f"criteria:{name}"
            yield ListedJudge(broken_judge(listed, one), one)
        else:
            yield ListedJudge(criterion_judge(one, "labeled_criteria" if one.labeled else "criteria"))


def _not_loaded(name: str, bot: Bot) -> Judge | None:
    """A placeholder for a judge whose file cannot be loaded; its scores have the error. None for an unknown judge."""
    family, _, rest = name.partition(":")
    wrong: BadInput | None = None
    if rest and family == "custom":
        wrong = load_custom(bot).may_hold(rest)
    elif rest and family in get_args(Family):
        wrong = may_be_criterion(bot, rest)
    return broken_judge(name, problem("custom_gone", name=name, problem=wrong)) if wrong else None


def _unknown(name: str, known: Iterable[str]) -> BadInput:
    """The error for an unknown judge; it suggests the most similar name."""
    names = tuple(known)
    near = process.extractOne(name, names, scorer=fuzz.WRatio, score_cutoff=_MIN_NAME_SIMILARITY)
    meant = near[0] if near else ", ".join(_MODULE_OF)
    hint = f"Did you mean {meant}?" if near else f"Choose one of {meant}, criteria:NAME or custom:NAME."
    return BadInput(f"There is no judge {name!r}. {hint}", "unknown_judge", id=name, near=meant)
