"""The scenarios of a bot as a table: edit, add, delete, import, export."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.files import write_text
from core.base.types import Bot, Scenario
from core.user.scenarios import decode_csv, parse_scenarios, read_scenarios, scenarios_csv, write_scenarios
from pages.shared.draw import choose_bot, heading, plain, sentence, told
from pages.shared.tables import SCENARIO_COLUMNS, scenario_columns, scenarios_of, to_frame
from pages.shared.words import say


def version(bot: Bot, step: int = 0) -> int:
    """The number of the table on show; a new one is drawn after a save or an import."""
    name = f"scenarios-version-{bot.id}"
    st.session_state[name] = st.session_state.get(name, 0) + step
    return st.session_state[name]


def imported(bot: Bot) -> list[Scenario] | None:
    """What was imported and not yet saved."""
    return st.session_state.get(f"scenarios-import-{bot.id}")


def keep_import(bot: Bot, rows: list[Scenario] | None) -> None:
    """Show these rows in place of the file's (none: the file's again)."""
    st.session_state[f"scenarios-import-{bot.id}"] = rows
    version(bot, 1)


def save(bot: Bot, table: pd.DataFrame) -> None:
    """Write the table; on an error nothing is written and the table stays as it is."""
    with told():
        rows = scenarios_of(table)
        write_scenarios(bot, rows)
        keep_import(bot, None)
        st.toast(say("scenarios.saved", n=len(rows)), icon=":material/check:")
        st.rerun()


def import_file(bot: Bot, present: int) -> None:
    """Read a CSV; a bad one changes nothing."""
    with st.popover(say("scenarios.import"), icon=":material/upload:"):
        st.caption(say("scenarios.import_lead", n=present))
        file = st.file_uploader(
            say("scenarios.import"), ["csv"], key=f"csv-{bot.id}-{version(bot)}", label_visibility="collapsed"
        )
        if file is None:
            return
        with told():
            keep_import(bot, parse_scenarios(decode_csv(file.getvalue())))
            st.rerun()


def mend(bot: Bot, error: BadInput) -> None:
    """A broken file: say what is wrong, and let its text be corrected."""
    st.error(plain(sentence(error)), icon=":material/error:")
    file = bot.folder / "questions.csv"
    text = st.text_area(say("scenarios.mend"), file.read_bytes().decode("utf-8-sig", "replace"), height=420)
    if st.button(say("common.save"), type="primary", icon=":material/save:"):
        with told():
            parse_scenarios(text)
            write_text(file, text)
            st.rerun()


def edit(bot: Bot, rows: list[Scenario]) -> None:
    """The table with its tools."""
    fresh = imported(bot)
    before = to_frame(rows if fresh is None else fresh)
    if fresh is not None:
        st.info(say("scenarios.imported", n=len(fresh)), icon=":material/upload:")
    tools = st.container(horizontal=True, gap="small", vertical_alignment="center")
    st.caption(say("scenarios.edit"))
    table = st.data_editor(
        before,
        num_rows="dynamic",
        hide_index=True,
        height=560,
        column_order=SCENARIO_COLUMNS,
        column_config=scenario_columns(),
        key=f"scenarios-{bot.id}-{version(bot)}",
    )
    changed = fresh is not None or not table.equals(before)
    with tools:
        if st.button(say("common.save"), type="primary", icon=":material/save:", disabled=not changed):
            save(bot, table)
        if fresh is not None:
            st.button(say("scenarios.drop_import"), icon=":material/undo:", on_click=keep_import, args=(bot, None))
        import_file(bot, len(rows))
        name = f"{bot.id}-questions.csv"
        st.download_button(
            say("scenarios.export"),
            "\ufeff" + scenarios_csv(rows),
            name,
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        if changed:
            st.caption(f":orange[:material/edit: {say('scenarios.unsaved')}]", width="content")


top, bot = choose_bot()
try:
    rows = read_scenarios(bot)
except BadInput as error:
    heading(say("scenarios.title"), place=top)
    mend(bot, error)
else:
    heading(say("scenarios.finding", bot=plain(bot.name), n=len(rows)), say("scenarios.lead"), place=top)
    edit(bot, rows)
