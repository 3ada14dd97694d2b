"""Saves a message or a failure as a scenario of a bot."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.errors import BadInput
from core.base.types import Bot, Scenario
from core.base.unused_name import unused_name
from core.simulation.scenarios import read_scenarios, write_scenarios
from core.text.normalize import normalize


def save_scenario(bot: Bot, scenario: Scenario, replace: bool = False) -> Scenario:
    """Add a scenario to the bot's `questions.csv`. Returns it with its id.

    Raises BadInput: `no_question_to_save`; `same_scenario` if one has the same question, intent and facts, unless
    `replace` is true: then it replaces that one under the same id.
    """
    if not scenario.question.strip():
        raise BadInput("The question is empty. Enter the first message.", "no_question_to_save")
    rows = read_scenarios(bot)
    same = same_as(rows, scenario)
    if same is not None and not replace:
        raise BadInput(
            f"The scenario {same.id!r} has the same question, intent and facts. Change this one or replace it.",
            "same_scenario",
            id=same.id,
        )
    saved = scenario.model_copy(update={"id": same.id if same else _free_id(rows, scenario.id.strip())})
    write_scenarios(bot, [saved if same and row.id == same.id else row for row in rows] + ([] if same else [saved]))
    return saved


def same_as(rows: Sequence[Scenario], scenario: Scenario) -> Scenario | None:
    """The scenario that asks the same with the same intent and facts, or None."""
    return next((row for row in rows if _content(row) == _content(scenario)), None)


def _free_id(rows: Sequence[Scenario], wanted: str) -> str:
    """The wanted id (default: "saved"), with a number after it if a scenario has that id."""
    used_ids = {row.id for row in rows}
    base = re.sub(r"-\d+$", "", wanted) if wanted in used_ids else wanted
    return unused_name(base or "saved", used_ids, "-{}")


def _content(scenario: Scenario) -> tuple[str, str, str]:
    return normalize(scenario.question), normalize(scenario.intent), normalize(scenario.facts)
