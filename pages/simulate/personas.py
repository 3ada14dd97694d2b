"""Who talks to the bots: a table in one language at a time, and how each of them talks."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Language, Persona
from core.simulation.personas import read_personas, write_personas
from core.text.quotation_marks import in_quotes
from pages.components.appearance import heading, show_errors
from pages.components.editing import EditedTable, edit_broken_file, show_unsaved
from pages.components.plain_text import plain
from pages.components.widgets import choose_switch, save_button
from pages.i18n.translate import language, t
from pages.simulate.tables import PERSONA_COLUMNS, persona_columns, persona_frame, personas_of

VOICES = ("first", "answer", "unknown", "follow_up", "done", "unmet")


def edited_table() -> EditedTable[pd.DataFrame]:
    """The table on show; a new one is drawn after a save."""
    return EditedTable("personas")


def edit(rows: list[Persona], shown: Language) -> None:
    """Draw the table of personas in one language; saving leaves the other language unchanged."""
    before = persona_frame(rows)
    tools = st.container(horizontal=True, gap="small", vertical_alignment="center")
    st.caption(t("personas.edit"))
    table = st.data_editor(
        before,
        num_rows="dynamic",
        hide_index=True,
        column_order=PERSONA_COLUMNS,
        column_config=persona_columns(),
        key=f"{edited_table().key}-{shown}",
    )
    changed = not table.equals(before)
    agreed = deletion(rows, table)
    with tools:
        if save_button(disabled=not (changed and agreed)):
            save(table, rows, shown)
        if changed:
            show_unsaved("scenarios.unsaved" if agreed else "personas.delete_first")


def deletion(rows: list[Persona], table: pd.DataFrame) -> bool:
    """Whether no persona would be deleted, or the user has agreed to it (it counts for both languages)."""
    ids = {str(persona_id).strip() for persona_id in table["id"]}
    gone = [row for row in rows if row.id not in ids]
    if not gone:
        return True
    names = t("common.comma").join(in_quotes(row.name, language()) for row in gone)
    key = f"delete-{edited_table().key}-{'-'.join(row.id for row in gone)}"
    return st.checkbox(t("personas.delete_both", names=plain(names)), key=key)


def save(table: pd.DataFrame, rows: list[Persona], shown: Language) -> None:
    """Write the table; on an error nothing is written and the table stays as it is."""
    with show_errors():
        personas = personas_of(table, rows)
        write_personas(personas, shown)
        edited_table().reset()
        st.toast(t("personas.saved", n=len(personas)), icon=":material/check:")
        st.rerun()


def voices(rows: list[Persona]) -> None:
    st.subheader(t("personas.voice"), anchor=False)
    for row in rows:
        with st.expander(plain(row.name), icon=":material/record_voice_over:"):
            st.caption(t("personas.voice_lead", name=plain(row.name)))
            for name in VOICES:
                if patterns := getattr(row.voice, name):
                    st.markdown("  \n".join([f"**{t(f'personas.voice_{name}')}**", *map(plain, patterns)]))


top = st.container()
names: dict[Language, str] = {"ja": t("settings.language_ja"), "en": t("settings.language_en")}
shown: Language = choose_switch(t("personas.language"), names, language(), key="personas-language")
try:
    rows = read_personas(shown)
except BadInput as error:
    heading(t("menu.personas"), place=top)
    edit_broken_file(error, settings().knowledge_dir / "personas.toml", lambda: read_personas(shown))
else:
    heading(t("personas.finding", n=len(rows)), t("personas.lead"), place=top)
    edit(rows, shown)
    voices(rows)
