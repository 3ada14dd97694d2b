"""Tables of scenarios and personas to edit: objects to rows and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.types import Persona, Scenario, ScenarioKind, Voice
from core.bot.profile import FIELDS
from pages.components.editing import rows_of_text
from pages.i18n.translate import t

SCENARIO_COLUMNS = ("id", "question", "kind", "needs_asking", "intent", "facts", "reference", "persona", "known")
PERSONA_COLUMNS = ("id", "name", "description", "profile", "known")
ASKING = {True: "yes", False: "no", None: None}


def to_frame(rows: Sequence[Scenario]) -> pd.DataFrame:
    table = pd.DataFrame(
        [{**row.model_dump(), "needs_asking": ASKING[row.needs_asking]} for row in rows], columns=list(SCENARIO_COLUMNS)
    )
    return table.astype(object).where(table.notna(), None)


def scenarios_of(table: pd.DataFrame) -> list[Scenario]:
    """The scenarios that a table holds; rows without any text are left out, one without a question raises BadInput."""
    scenarios: list[Scenario] = []
    for number, cells in enumerate(rows_of_text(table), 1):
        asking = cells.pop("needs_asking", "")
        if not any(value for name, value in cells.items() if name not in ("id", "kind")):
            continue
        if not cells["question"]:
            raise BadInput(f"Row {number} has no question.", "row_without_question", row=number)
        cells["kind"] = cells["kind"] or "faq"
        scenarios.append(Scenario.model_validate({**cells, "needs_asking": {"yes": True, "no": False}.get(asking)}))
    return scenarios


def scenario_columns() -> dict[str, Any]:
    text = {name: st.column_config.TextColumn(t(f"scenarios.{name}")) for name in SCENARIO_COLUMNS}
    wide = ("question", "intent", "facts", "reference")
    return {
        **text,
        **{name: st.column_config.TextColumn(t(f"scenarios.{name}"), width="large") for name in wide},
        "id": st.column_config.TextColumn(t("scenarios.id"), width=110),
        "known": _known_column(),
        "kind": st.column_config.SelectboxColumn(
            t("scenarios.kind"),
            width=130,
            options=list(get_args(ScenarioKind)),
            format_func=lambda kind: t(f"kinds.{kind}"),
            default="faq",
        ),
        "needs_asking": st.column_config.SelectboxColumn(
            t("scenarios.needs_asking"),
            width=170,
            options=["yes", "no"],
            format_func=lambda value: t(f"common.{value}"),
        ),
    }


def _known_column() -> Any:
    """What the bot knows of the person beforehand."""
    help_text = t("scenarios.known_help", example="office=大阪支社; age=34", names=", ".join(FIELDS))
    return st.column_config.TextColumn(t("scenarios.known"), width="medium", help=help_text)


def persona_frame(rows: Sequence[Persona]) -> pd.DataFrame:
    """One row per persona, without how they talk."""
    return pd.DataFrame(
        [{name: getattr(row, name) for name in PERSONA_COLUMNS} for row in rows], columns=list(PERSONA_COLUMNS)
    )


def persona_columns() -> dict[str, Any]:
    texts = {
        name: st.column_config.TextColumn(t(f"personas.{name}"), width="large") for name in ("description", "profile")
    }
    return {
        "id": st.column_config.TextColumn(t("scenarios.id"), width="small"),
        "name": st.column_config.TextColumn(t("personas.name"), width="medium"),
        "known": _known_column(),
        **texts,
    }


def personas_of(table: pd.DataFrame, before: Sequence[Persona]) -> list[Persona]:
    """The personas that a table holds; each keeps how it talked before (a new one talks like the first)."""
    voices = {row.id: row.voice for row in before}
    usual = before[0].voice if before else Voice()
    personas: list[Persona] = []
    for number, cells in enumerate(rows_of_text(table), 1):
        if not any(cells.values()):
            continue
        if not cells["id"] or not cells["name"]:
            raise BadInput(f"Row {number} lacks an ID or a name.", "row_without_name", row=number)
        if any(row.id == cells["id"] for row in personas):
            raise BadInput(f"The ID {cells['id']} is used twice.", "duplicate_id", id=cells["id"])
        personas.append(Persona(**cells, voice=voices.get(cells["id"], usual)))
    return personas
