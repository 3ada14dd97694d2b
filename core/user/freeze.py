"""Freezing what went wrong as a scenario of the bot, so that every later run meets it again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.errors import BadInput
from core.base.language import normalise
from core.base.types import Bot, Scenario
from core.user.scenarios import read_scenarios, write_scenarios


def freeze(bot: Bot, scenario: Scenario, replace: bool = False) -> Scenario:
    """Add a scenario to the bot's `questions.csv` and give it as it stands there, with an id of its own.

    Raises BadInput: `no_question_to_freeze`; `same_scenario` where one with the same question, intent and facts is
    there, unless `replace` says that it takes that one's place (and id).
    """
    if not scenario.question.strip():
        raise BadInput("The question is empty. Write what the person says first.", "no_question_to_freeze")
    rows = read_scenarios(bot)
    same = same_as(rows, scenario)
    if same is not None and not replace:
        raise BadInput(
            f"The scenario {same.id!r} asks the same with the same intent and facts. Change this one, or replace it.",
            "same_scenario",
            id=same.id,
        )
    name = same.id if same else free_id(rows, scenario.id)
    kept = scenario.model_copy(update={"id": name})
    write_scenarios(bot, [kept if same and row.id == same.id else row for row in rows] + ([] if same else [kept]))
    return kept


def same_as(rows: Sequence[Scenario], scenario: Scenario) -> Scenario | None:
    """The scenario that asks the same with the same intent and facts, or none."""
    return next((row for row in rows if _mark(row) == _mark(scenario)), None)


def free_id(rows: Sequence[Scenario], wanted: str) -> str:
    """The wanted id (default: "frozen") with the first number behind it that no scenario has."""
    taken = {row.id for row in rows}
    base = re.sub(r"-\d+$", "", wanted.strip()) if wanted.strip() in taken else wanted.strip()
    base = base or "frozen"
    if base not in taken and wanted.strip():
        return base
    number = 1
    while f"{base}-{number:03}" in taken:
        number += 1
    return f"{base}-{number:03}"


def _mark(scenario: Scenario) -> tuple[str, str, str]:
    return normalise(scenario.question), normalise(scenario.intent), normalise(scenario.facts)
