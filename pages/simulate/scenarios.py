"""The scenarios of a bot as a table: edit, add, delete, import, export."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot, Scenario
from core.simulation.scenarios import decode_csv, parse_scenarios, read_scenarios, scenarios_csv, write_scenarios
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.editing import EditedTable, edit_broken_file, show_unsaved
from pages.components.plain_text import plain
from pages.components.widgets import action_button, download_button, save_button
from pages.i18n.translate import error_text, t
from pages.simulate.tables import SCENARIO_COLUMNS, scenario_columns, scenarios_of, to_frame


def edited_table(bot: Bot) -> EditedTable[pd.DataFrame]:
    """The table on show; a new one is drawn after a save or an import."""
    return EditedTable(f"scenarios-{bot.id}")


def keep_import(bot: Bot, rows: list[Scenario] | None) -> None:
    """Show these rows in place of the file's (None: the file's again)."""
    st.session_state[f"scenarios-import-{bot.id}"] = rows
    edited_table(bot).reset()


def save(bot: Bot, table: pd.DataFrame) -> None:
    """Write the table; on an error nothing is written and the table stays as it is."""
    with show_errors():
        rows = scenarios_of(table)
        write_scenarios(bot, rows)
        keep_import(bot, None)
        st.toast(t("scenarios.saved", n=len(rows)), icon=":material/check:")
        st.rerun()


def import_file(bot: Bot, present: int) -> None:
    """Read a CSV; a bad one changes nothing."""
    with st.popover(t("scenarios.import"), icon=":material/upload:"):
        st.caption(t("scenarios.import_lead", n=present))
        file = st.file_uploader(t("scenarios.import"), key=f"csv-{edited_table(bot).key}", label_visibility="collapsed")
        if file is None:
            return
        with show_errors():
            keep_import(bot, read_upload(file.name, file.getvalue()))
            st.rerun()


def read_upload(name: str, data: bytes) -> list[Scenario]:
    """The scenarios of an uploaded file; raises BadInput for what is no CSV or holds no question."""
    if not name.lower().endswith((".csv", ".tsv", ".txt")):
        raise BadInput(f"{name} is no CSV.", "not_csv", file=name)
    parsed = parse_scenarios(decode_csv(data, name), name)
    if not parsed:
        raise BadInput("The CSV holds no question.", "csv_no_rows")
    return parsed


def export(bot: Bot, table: pd.DataFrame) -> None:
    """What the table shows, saved or not, as a CSV; an incomplete row is reported instead."""
    text, problem = "", ""
    try:
        text = "\ufeff" + scenarios_csv(scenarios_of(table))
    except BadInput as error:
        problem = t("scenarios.export_not_yet", error=plain(error_text(error)))
    options = {"mime": "text/csv", "key": "scenarios-export", "help": problem or None, "disabled": bool(problem)}
    download_button(t("scenarios.export"), text, f"{bot.id}-questions.csv", **options)


def edit(bot: Bot, rows: list[Scenario]) -> None:
    fresh: list[Scenario] | None = st.session_state.get(f"scenarios-import-{bot.id}")  # imported, and not yet saved
    before = to_frame(rows if fresh is None else fresh)
    if fresh is not None:
        st.info(t("scenarios.imported", n=len(fresh)), icon=":material/upload:")
    tools = st.container(horizontal=True, gap="small", vertical_alignment="center")
    st.caption(t("scenarios.edit"))
    table = st.data_editor(
        before,
        num_rows="dynamic",
        hide_index=True,
        height=560,
        column_order=SCENARIO_COLUMNS,
        column_config=scenario_columns(),
        key=edited_table(bot).key,
    )
    changed = fresh is not None or not table.equals(before)
    with tools:
        if save_button(disabled=not changed):
            save(bot, table)
        if fresh is not None:
            action_button(t("scenarios.discard_import"), "undo", keep_import, bot, None)
        import_file(bot, len(rows))
        export(bot, table)
        if changed:
            show_unsaved()


top, bot = choose_bot()
try:
    rows = read_scenarios(bot)
except BadInput as error:
    heading(t("menu.scenarios"), place=top)
    edit_broken_file(error, bot.folder / "questions.csv", lambda: read_scenarios(bot))
else:
    heading(t("scenarios.finding", bot=plain(bot.name), n=len(rows)), t("scenarios.lead"), place=top)
    edit(bot, rows)
