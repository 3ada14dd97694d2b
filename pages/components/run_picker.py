"""Choosing the bot (even an unreadable one) and the run that a results page shows, and unique labels of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import Bot
from core.runs.snapshot import stored_bot
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.appearance import heading, local_time
from pages.components.bot_picker import bot_names, choose_bot_id
from pages.components.links import bot_settings_link, simulate_link
from pages.components.plain_text import line, plain
from pages.components.services import services
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import error_text, t


def choose_bot_of_runs(store: Store) -> tuple[DeltaGenerator, Bot]:
    """The container for the page's title, and the bot whose results are shown.

    A link may name only a run. A bot that cannot be loaded any more is read from the snapshot of its newest run, with a
    note; the page stops if there is none.
    """
    linked = take_bot_of_run(store, "run")
    names = bot_names()
    deleted = {name: t("run_picker.deleted_bot", bot=name) for name in store.runs.bots() if name not in names}
    top, chosen = choose_bot_id(deleted)
    if linked and linked.bot != chosen and not store.runs.all(chosen):  # with runs, `choose_run` says so
        other = plain({**names, **deleted}.get(linked.bot, linked.bot), links=False)
        st.info(t("run_picker.run_of_other_bot", other=other), icon=":material/info:")
    try:
        return top, load_bot(chosen)
    except BadInput as error:
        bot = next(filter(None, (stored_bot(store, run) for run in store.runs.all(chosen))), None)
        message = t("run_picker.deleted_bot_note") if chosen in deleted else plain(error_text(error))
        if bot:
            st.warning(f"{message}  \n{t('run_picker.deleted_bot_settings')}", icon=":material/history:")
        else:
            st.error(message, icon=":material/error:")
        if chosen not in deleted:
            bot_settings_link(chosen)
        if bot is None:
            st.stop()
        return top, bot


def take_bot_of_run(store: Store, name: str) -> RunRow | None:
    """The run that the address names; its bot is chosen if the address names no bot."""
    linked = store.runs.get(st.query_params.get(name, ""))
    if linked and "bot" not in st.query_params:
        st.query_params["bot"] = linked.bot
    return linked


def stop_without_runs(
    runs: Sequence[RunRow], top: DeltaGenerator, bot: Bot, title: str, key: str, lead: str = ""
) -> None:
    """The page stops with its title, a note and a link to the page that makes a run if there are no runs to show."""
    if not runs:
        heading(title, lead, place=top)
        st.info(t(key), icon=":material/info:")
        simulate_link(bot.id)
        st.stop()


def choose_run(store: Store, runs: Sequence[RunRow]) -> RunRow:
    """Choose one of the runs; says so if the address names another one."""
    by_id = {run.id: run for run in runs}
    run_id = st.query_params.get("run", "")
    if run_id and run_id not in by_id:
        key = "run_picker.run_not_shown" if store.runs.get(run_id) else "transcripts.unknown_run"
        st.info(t(key), icon=":material/info:")
    return by_id[choose_in_url("run", t("scores.run"), run_labels(runs))]


def run_label(run: RunRow) -> str:
    """A run in words: its name if it has one of its own, when, how large, whether it ended and how many failed."""
    return run_labels([run])[run.id]


def run_labels(runs: Iterable[RunRow], bots: Mapping[str, str] | None = None) -> dict[str, str]:
    """Runs of a list in words, by id: those that would read alike also have the second, else their ID.

    bots: the names of all bots, if they are known already (it takes a while to read them).
    """
    rows, names = list(runs), bot_names() if bots is None else bots
    failed = services().store.conversations.count_failed(row.id for row in rows)
    labels = {row.id: _label(row, names, failed.get(row.id, 0), local_time(row.created_at)) for row in rows}
    for exact in ("{second}", "{second} ({id})"):
        seen = Counter(labels.values())
        for row in rows:
            if seen[labels[row.id]] > 1:
                moment = exact.format(second=local_time(row.created_at, seconds=True), id=line(row.id))
                labels[row.id] = _label(row, names, failed.get(row.id, 0), moment)
    return labels


def _label(run: RunRow, bots: Mapping[str, str], failed: int, moment: str) -> str:
    """What tells runs apart comes first, since a telephone shows only the beginning."""
    named = run.name not in ("", bots.get(run.bot))
    first = t("runs.named", when=moment, name=run.name) if named else moment
    if not run.plan.get("clarify", True):
        first = t("clarification.without_label", label=first)
    return t("runs.label", run=first, n=run.total, status=_ended(run, failed))


def _ended(run: RunRow, failed: int) -> str:
    """A run's state with the conversations that failed."""
    if not failed:
        return t(f"status.{run.status}")
    return t(
        "runs.status_all_failed" if failed >= run.total else "runs.status_failed",
        n=f"{failed:,}",
        status=t(f"status.{run.status}"),
    )
