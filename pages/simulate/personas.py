"""Who talks to the bots: a table in one language at a time, and how each of them talks."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.files import write_text
from core.base.settings import settings
from core.base.types import Language, Persona
from core.user.personas import read_personas, write_personas
from pages.shared.draw import heading, plain, sentence, told
from pages.shared.tables import PERSONA_COLUMNS, persona_columns, persona_frame, personas_of
from pages.shared.words import language, say

VOICES = ("answer", "unknown", "follow_up", "done", "unmet")


def version(step: int = 0) -> int:
    """The number of the table on show; a new one is drawn after a save."""
    st.session_state["personas-version"] = st.session_state.get("personas-version", 0) + step
    return st.session_state["personas-version"]


def edit(rows: list[Persona], of: Language) -> None:
    """The table; saving keeps the other language."""
    before = persona_frame(rows)
    tools = st.container(horizontal=True, gap="small", vertical_alignment="center")
    st.caption(say("personas.edit"))
    table = st.data_editor(
        before,
        num_rows="dynamic",
        hide_index=True,
        column_order=PERSONA_COLUMNS,
        column_config=persona_columns(),
        key=f"personas-{of}-{version()}",
    )
    changed = not table.equals(before)
    with tools:
        if st.button(say("common.save"), type="primary", icon=":material/save:", disabled=not changed):
            save(table, rows, of)
        if changed:
            st.caption(f":orange[:material/edit: {say('scenarios.unsaved')}]", width="content")


def save(table: pd.DataFrame, rows: list[Persona], of: Language) -> None:
    """Write the table; on an error nothing is written and the table stays as it is."""
    with told():
        found = personas_of(table, rows)
        write_personas(found, of)
        version(1)
        st.toast(say("personas.saved", n=len(found)), icon=":material/check:")
        st.rerun()


def voices(rows: list[Persona]) -> None:
    """The patterns that each persona speaks in."""
    st.subheader(say("personas.voice"), anchor=False)
    for row in rows:
        with st.expander(plain(row.name), icon=":material/record_voice_over:"):
            st.caption(say("personas.voice_lead", name=plain(row.name)))
            for name in VOICES:
                patterns = getattr(row.voice, name)
                if patterns:
                    st.markdown(
                        f"**{say(f'personas.voice_{name}')}**  \n" + "  \n".join(plain(text) for text in patterns)
                    )


def mend(error: BadInput) -> None:
    """A broken file: say what is wrong, and let its text be corrected."""
    heading(say("personas.title"), place=top)
    st.error(plain(sentence(error)), icon=":material/error:")
    file = settings().knowledge_dir / "personas.toml"
    source = file.read_bytes().decode("utf-8-sig", "replace") if file.is_file() else ""
    text = st.text_area(say("scenarios.mend"), source, height=480)
    if st.button(say("common.save"), type="primary", icon=":material/save:"):
        with told():
            write_text(file, text)
            st.rerun()


top = st.container()
of: Language = st.segmented_control(
    say("personas.language"),
    ["ja", "en"],
    default=language(),
    format_func=lambda code: say(f"settings.language_{code}"),
    required=True,
)
try:
    rows = read_personas(of)
except BadInput as error:
    mend(error)
else:
    heading(say("personas.finding", n=len(rows)), say("personas.lead"), place=top)
    edit(rows, of)
    voices(rows)
