"""All judges by name: those that ship with Kiku, criteria, and a bot's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import get_args

from rapidfuzz import fuzz, process

from core.base.errors import BadInput
from core.base.types import Bot
from core.judges.base import Judge, ListedJudge
from core.judges.baselines import rubric
from core.judges.correctness import correctness
from core.judges.criteria.criteria import Family, built_in_criteria, criterion_judge
from core.judges.custom.criteria_file import custom_criteria_or_problems, may_be_criterion
from core.judges.custom.loading import load_custom
from core.judges.custom.python_judges import broken_judge, problem
from core.judges.groundedness import groundedness, sufficiency
from core.judges.keypoints import keypoints
from core.judges.quiz import quiz
from core.judges.relevance import relevance
from core.judges.retrieval import retrieval
from core.judges.simulated_user import simulated_user
from core.judges.turn import turn

_MIN_NAME_SIMILARITY = 60.0  # similarity (0 to 100) from which a known name is suggested for an unknown one


def judges_of(names: Iterable[str], bot: Bot | None = None) -> tuple[Judge, ...]:
    """The named judges in order, each once; `bot`: also find its own judges.

    Raises BadInput (`unknown_judge`) for an unknown name. A judge of the bot's own that cannot be loaded raises
    nothing: its scores have the error.
    """
    return tuple(_named(name, bot) for name in dict.fromkeys(names))


def all_judges(bot: Bot | None = None) -> tuple[ListedJudge, ...]:
    """All judges, the bot's own last."""
    return (*map(ListedJudge, shipped_judges().values()), *(_own(bot) if bot else ()))


def lower_is_better(name: str, bot: Bot | None = None) -> frozenset[str]:
    """The lower-is-better criteria of a judge; empty for a judge that no longer exists."""
    try:
        return _named(name, bot).lower_is_better
    except BadInput:
        return frozenset()


def _named(name: str, bot: Bot | None) -> Judge:
    known = shipped_judges()
    if name not in known and bot:
        known = known | {listed.judge.name: listed.judge for listed in _own(bot)}
    found = known.get(name) or (_not_loaded(name, bot) if bot else None)
    if found is None:
        raise _unknown(name, known)
    return found


@cache
def shipped_judges() -> dict[str, Judge]:
    """The judges that ship with Kiku by name, the criteria last."""
    from core.judges.baselines import similarity  # it reads the settings, which may be broken

    judges = (
        turn.JUDGE,
        correctness.JUDGE,
        groundedness.JUDGE,
        sufficiency.JUDGE,
        relevance.JUDGE,
        *quiz.JUDGES,
        keypoints.JUDGE,
        retrieval.JUDGE,
        *similarity.JUDGES,
        *rubric.JUDGES,
        simulated_user.JUDGE,
    )
    criteria = (criterion_judge(one, family) for family in get_args(Family) for one in built_in_criteria().values())
    return {judge.name: judge for judge in (*judges, *criteria)}


def _own(bot: Bot) -> tuple[ListedJudge, ...]:
    """The bot's own criteria and judges; what cannot be loaded is listed with its problem."""
    return (*_custom_criteria(bot), *load_custom(bot).judges.values())


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
    near = process.extractOne(name, tuple(known), scorer=fuzz.WRatio, score_cutoff=_MIN_NAME_SIMILARITY)
    meant = near[0] if near else ", ".join(one for one in shipped_judges() if ":" not in one)
    hint = f"Did you mean {meant}?" if near else f"Choose one of {meant}, criteria:NAME or custom:NAME."
    return BadInput(f"There is no judge {name!r}. {hint}", "unknown_judge", id=name, near=meant)
