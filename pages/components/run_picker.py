"""Bots and runs that results are about: also those of a bot whose folder is gone or cannot be read any more."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.bot_folder import load_bot, parse_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Bot
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.bot_picker import bot_names, bot_settings_link, choose_bot_id
from pages.components.plain_text import plain
from pages.components.run_labels import run_labels
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import error_text, t


def choose_bot_of_runs(store: Store) -> tuple[DeltaGenerator, Bot]:
    """The place for the title, and the bot whose results are shown.

    A link may name a run alone. A bot that cannot be loaded any more is read out of its newest run that kept it, which
    is told; without such a run the page stops.
    """
    linked = store.runs.get(st.query_params.get("run", ""))
    if linked and "bot" not in st.query_params:
        st.query_params["bot"] = linked.bot
    known = bot_names()
    gone = {name: t("run_picker.deleted_bot", bot=name) for name in store.runs.bots() if name not in known}
    top, chosen = choose_bot_id(gone)
    if linked and linked.bot != chosen and not store.runs.all(chosen):  # else the choice of a run tells it
        other = plain({**known, **gone}.get(linked.bot, linked.bot), links=False)
        st.info(t("run_picker.run_of_other_bot", other=other), icon=":material/info:")
    try:
        return top, load_bot(chosen)
    except BadInput as error:
        then = _of_run(store, chosen)
        told = t("run_picker.deleted_bot_note") if chosen in gone else plain(error_text(error))
        if then:
            st.warning(f"{told}  \n{t('run_picker.deleted_bot_settings')}", icon=":material/history:")
        else:
            st.error(told, icon=":material/error:")
        if chosen not in gone:
            bot_settings_link(chosen)
        if then is None:
            st.stop()
        return top, then


def _of_run(store: Store, bot: str) -> Bot | None:
    """The bot as its newest readable run kept it."""
    for run in store.runs.all(bot):
        try:
            return parse_bot(str(store.runs.snapshot(run.id)["bot_toml"]).encode(), settings().knowledge_dir / bot)
        except (BadInput, KeyError):
            continue
    return None


def choose_run_of(store: Store, runs: dict[str, RunRow]) -> RunRow:
    """The run to look at; where a link names one that is not there, a sentence says so."""
    wanted = st.query_params.get("run", "")
    if wanted and wanted not in runs:
        st.info(
            t("run_picker.run_not_shown" if store.runs.get(wanted) else "transcripts.unknown_run"),
            icon=":material/info:",
        )
    return runs[choose_in_url("run", t("scores.run"), run_labels(runs.values()))]
