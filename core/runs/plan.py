"""What a run will do: which scenario meets which persona, how often."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import product
from typing import Literal, TypeVar

from pydantic import Field

from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.base.types import Language, Persona, Scenario
from core.judges.base import Example

T = TypeVar("T", Persona, Scenario)


class Plan(FrozenModel):
    """A run before it begins.

    scenarios, personas: ids, empty for all. cross: every persona meets every scenario; otherwise one persona is drawn
    per scenario by the seed. language: of the simulated users; judge_language: of the judge's reasons (default: the
    same). limit: at most so many conversations, picked by the seed (0: all). concurrency: conversations at a time
    (0: the setting). cases_seed: draws personas and picks within the limit in place of `seed`, so that a run with
    another seed has the same cases. budget, budget_calls: the run stops before it costs more money or calls (0: no
    limit). cache: whether a call that was made before is answered from the call log. clarify: whether the bot may ask
    clarifying questions; without them every turn searches. today: the date that the run goes by, so that it can be
    repeated (none: the bot's own date, else that of its beginning, which is then stored). paused: not chosen, but the seconds between a stop and the
    resumption of the run. first_message: the scenario's question word for word ("plain") or in the persona's own words
    ("persona"; "": these for a model, if there is more than one turn); words_of: the run whose first messages are sent
    again, for a comparison.
    """

    bot: str
    scenarios: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    cross: bool = False
    repeats: int = Field(default=1, ge=1, le=100)
    seed: int = Field(default=0, ge=-(2**31), lt=2**31)  # what any database can hold
    cases_seed: int | None = None
    max_turns: int = Field(default=3, ge=1, le=20)
    judges: tuple[str, ...] = ("turn",)
    language: Language = "ja"
    judge_language: Language | None = None
    strict: bool = False
    together: bool = True
    examples: dict[str, tuple[Example, ...]] = {}
    limit: int = Field(default=0, ge=0)
    concurrency: int = Field(default=0, ge=0, le=256)
    budget: float = Field(default=0, ge=0)
    budget_calls: int = Field(default=0, ge=0)
    cache: bool = True
    clarify: bool = True
    today: date | None = None
    first_message: Literal["", "plain", "persona"] = ""
    words_of: str = ""
    name: str = ""
    paused: float = Field(default=0, ge=0)

    @property
    def drawn_by(self) -> int:
        """The seed that decides who asks what."""
        return self.seed if self.cases_seed is None else self.cases_seed

    @property
    def reasons_in(self) -> Language:
        """The language of the judge's reasons."""
        return self.judge_language or self.language


class Case(FrozenModel):
    """One conversation of a run; `number` and `repeat` count from 1."""

    number: int
    scenario: Scenario
    persona: Persona
    repeat: int = 1

    def seed(self, plan_seed: int) -> int:
        """The simulated user's seed: the same wherever this scenario, persona and repeat meet under one plan's seed."""
        return zlib.crc32(f"{plan_seed}:{self.scenario.id}:{self.persona.id}:{self.repeat}".encode())


_DECIDE_CASES = (
    "bot",
    "scenarios",
    "personas",
    "cross",
    "repeats",
    "seed",
    "cases_seed",
    "max_turns",
    "language",
    "limit",
)


def has_same_cases(one: Plan, other: Plan) -> bool:
    """Whether two plans have the same conversations: who asks what, how often, and with which seed."""
    return all(getattr(one, name) == getattr(other, name) for name in _DECIDE_CASES)


def make_cases(plan: Plan, scenarios: Sequence[Scenario], personas: Sequence[Persona]) -> list[Case]:
    """The conversations of a plan, in order; the same plan gives the same ones.

    Raises BadInput for unknown ids, and if there is nothing to do.
    """
    chosen = _chosen(plan.scenarios, scenarios, "question", "unknown_scenario")
    users = _chosen(plan.personas, personas, "persona", "unknown_persona")
    if not chosen or not users:
        missing = "personas" if chosen else "questions"
        raise BadInput(f"There are no {missing} for {plan.bot}. Add some and try again.", f"no_{missing}", bot=plan.bot)
    pairs = list(product(chosen, users) if plan.cross else _drawn(plan.drawn_by, chosen, users, personas))
    wanted = [(scenario, user, repeat) for scenario, user in pairs for repeat in range(1, plan.repeats + 1)]
    if 0 < plan.limit < len(wanted):
        picked = sorted(random.Random(f"{plan.drawn_by}:limit").sample(range(len(wanted)), plan.limit))
        wanted = [wanted[place] for place in picked]
    return [
        Case(number=number, scenario=scenario, persona=user, repeat=repeat)
        for number, (scenario, user, repeat) in enumerate(wanted, 1)
    ]


def _drawn(
    seed: int, scenarios: Iterable[Scenario], users: Sequence[Persona], known: Sequence[Persona]
) -> Iterator[tuple[Scenario, Persona]]:
    """One persona each: the one that the scenario names, else drawn; adding a scenario changes no other draw."""
    for scenario in scenarios:
        if scenario.persona:
            yield scenario, _chosen((scenario.persona,), known, "persona", "unknown_persona")[0]
        else:
            yield scenario, random.Random(f"{seed}:{scenario.id}").choice(users)


def _chosen(ids: Sequence[str], known: Sequence[T], noun: str, key: str) -> list[T]:
    """Those with the ids, in the order of `known`; all of them if no id is given."""
    known_ids = [item.id for item in known]
    for wanted in ids:
        if wanted not in known_ids:
            listed = ", ".join(known_ids[:12]) or "none"
            raise BadInput(f"There is no {noun} {wanted!r}. Choose one of {listed}.", key, id=wanted)
    return [item for item in known if not ids or item.id in ids]
