"""What a run will do: which scenario meets which persona, how often."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import product
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from core.base.errors import BadInput
from core.base.field_faults import field_fault
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.types import Language, Persona, Scenario
from core.judges.base import Example
from core.llm.roles import ModelEngine
from core.store.database import damaged
from core.store.rows import RunRow

T = TypeVar("T", Persona, Scenario)


class Plan(FrozenModel):
    """A run before it begins."""

    bot: str
    scenarios: tuple[str, ...] = ()  # ids, empty for all
    personas: tuple[str, ...] = ()  # ids, empty for all
    cross: bool = False  # every persona meets every scenario; else the seed draws one persona per scenario
    repeats: int = Field(default=1, ge=1, le=100)
    seed: int = Field(default=0, ge=-(2**31), lt=2**31)  # what any database can hold
    cases_seed: int | None = None  # draws the cases in place of `seed`, so that a run with another seed has the same
    max_turns: int = Field(default=3, ge=1, le=20)
    judges: tuple[str, ...] = ("turn",)
    language: Language = "ja"  # of the simulated users
    judge_language: Language | None = None  # of the judges' reasons (default: `language`)
    strict: bool = False
    together: bool = True
    examples: dict[str, tuple[Example, ...]] = {}
    limit: int = Field(default=0, ge=0)  # at most so many conversations, picked by the seed (0: all)
    concurrency: int = Field(default=0, ge=0, le=256)  # conversations at a time (0: the setting)
    budget: float = Field(default=0, ge=0)  # the run stops before it costs more (0: no limit)
    budget_calls: int = Field(default=0, ge=0)  # and before it makes more calls
    cache: bool = True  # whether a call that was made before is answered from the call log
    clarify: bool = True  # whether the bot may ask clarifying questions; else every turn searches
    today: date | None = None  # the date the run goes by (default: the bot's, else that of its start, then stored)
    # The scenario's question word for word, or in the persona's words ("": these for a model's run of several turns)
    first_message: Literal["", "plain", "persona"] = ""
    first_messages_from_run: str = ""  # id of the run whose first messages are sent again, to compare
    name: str = ""

    @property
    def drawn_by(self) -> int:
        """The seed that decides who asks what."""
        return self.seed if self.cases_seed is None else self.cases_seed

    @property
    def reasons_in(self) -> Language:
        """The language of the judge's reasons."""
        return self.judge_language or self.language


def plan_of(run: RunRow) -> Plan:
    """The plan of a stored run; raises BadInput (`database_damaged`) if it cannot be read."""
    try:
        return Plan.model_validate(run.plan)
    except ValidationError as error:
        raise damaged(field_fault(error, f"the plan of {run.id}: ")) from error


class Case(FrozenModel):
    """One conversation of a run; `number` and `repeat` count from 1."""

    number: int
    scenario: Scenario
    persona: Persona
    repeat: int = 1

    def seed(self, plan_seed: int) -> int:
        """The simulated user's seed: the same wherever this scenario, persona and repeat meet under one plan's seed."""
        return zlib.crc32(f"{plan_seed}:{self.scenario.id}:{self.persona.id}:{self.repeat}".encode())


def has_same_cases(plan: Plan, other: Plan) -> bool:
    """Whether two plans have the same conversations: who asks what, how often, and with which seed."""
    deciding = {
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
    }
    return plan.model_dump(include=deciding) == other.model_dump(include=deciding)


def with_first_message(plan: Plan, engine: Engine) -> Plan:
    """The plan with its kind of first message: the persona's words if a model talks, unless the plan says which."""
    worded = isinstance(engine, ModelEngine) and plan.max_turns > 1
    return plan.model_copy(update={"first_message": plan.first_message or ("persona" if worded else "plain")})


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
    combinations = [(scenario, user, repeat) for scenario, user in pairs for repeat in range(1, plan.repeats + 1)]
    if 0 < plan.limit < len(combinations):
        combinations = _picked(plan, combinations)
    return [
        Case(number=number, scenario=scenario, persona=user, repeat=repeat)
        for number, (scenario, user, repeat) in enumerate(combinations, 1)
    ]


def _picked(plan: Plan, combinations: Sequence[tuple[Scenario, Persona, int]]) -> list[tuple[Scenario, Persona, int]]:
    """As many as the limit allows, in order; by their ids, so that a new scenario takes the place of one at most."""

    def rank(place: int) -> float:
        scenario, user, repeat = combinations[place]
        persona = user.id if plan.cross else ""
        return random.Random(f"{plan.drawn_by}:limit:{scenario.id}:{persona}:{repeat}").random()

    return [combinations[place] for place in sorted(sorted(range(len(combinations)), key=rank)[: plan.limit])]


def _drawn(
    seed: int, scenarios: Iterable[Scenario], users: Sequence[Persona], personas: Sequence[Persona]
) -> Iterator[tuple[Scenario, Persona]]:
    """One persona each: the one that the scenario names, else drawn; adding a scenario changes no other draw."""
    for scenario in scenarios:
        if scenario.persona:
            yield scenario, _chosen((scenario.persona,), personas, "persona", "unknown_persona")[0]
        else:
            yield scenario, random.Random(f"{seed}:{scenario.id}").choice(users)


def _chosen(ids: Sequence[str], options: Sequence[T], noun: str, key: str) -> list[T]:
    """Those with the ids, in the order of `options`; all of them if no id is given."""
    known_ids = [item.id for item in options]
    for wanted_id in ids:
        if wanted_id not in known_ids:
            listed = ", ".join(known_ids[:12]) or "none"
            raise BadInput(f"There is no {noun} {wanted_id!r}. Choose one of {listed}.", key, id=wanted_id)
    return [item for item in options if not ids or item.id in ids]
