"""What Kiku is, the bots, the state of search, and one click to everything."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core.analysis.aggregate import summarise
from core.analysis.formatting import percent
from core.base.bot_folder import load_bot
from core.base.chunks import chunks
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import Bot
from core.documents.documents import read_documents
from core.simulation.scenarios import read_scenarios
from core.store.main_scores import main_judge
from core.store.score_tables import score_values
from pages.components.appearance import heading, local_time
from pages.components.bot_picker import bots_by_language
from pages.components.job_progress import watch
from pages.components.links import bot_settings_link, page_link, simulate_link
from pages.components.plain_text import plain
from pages.components.provenance import show_trust_badge
from pages.components.services import need_store, services
from pages.components.session import answering_engine
from pages.i18n.translate import error_text, language, t

store = need_store()
STATES: dict[str, tuple[Literal["gray", "blue", "green", "orange"], str]] = {
    "waiting": ("gray", ":material/schedule:"),
    "loading": ("blue", ":material/hourglass_top:"),
    "ready": ("green", ":material/check:"),
    "failed": ("orange", ":material/priority_high:"),
}


def counts_text(bot: Bot) -> str:
    """Documents, scenarios and language of a bot on one line; what cannot be read is reported in its place."""
    parts = []
    try:
        parts.append(t("home.documents", n=len(read_documents(bot))))
        parts.append(t("home.scenarios", n=len(read_scenarios(bot))))
    except BadInput as error:
        parts.append(plain(error_text(error)))
    return " · ".join([*parts, t(f"settings.language_{bot.language}")])


def show_state(bot: str) -> None:
    """A bot's index: waiting, loading with its share, ready or failed."""
    now = services().loading.get(bot)
    if now is None:
        return
    color, icon = STATES[now.state]
    done = f" {now.done / now.total:.0%}" if now.state == "loading" and now.total else ""
    st.badge(t(f"home.state_{now.state}") + done, icon=icon, color=color)


def show_latest_score(bot: str) -> None:
    """The score of the bot's latest simulation; a file of answers says nothing of the bot as it is."""
    runs = [run for run in store.runs.all(bot) if not run.is_answer_file]
    if not runs:
        st.caption(f"{t('home.latest')}{t('common.colon')}{t('home.no_run')}")
        return
    run = runs[0]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"{t('home.latest')} · {local_time(run.created_at)}", width="content")
        if run.status == "running":
            st.badge(t("home.running"), icon=":material/progress_activity:", color="blue")
            return
        tables = store.tables.of_run(run.id)
        judge = main_judge(tables.judges)
        score = tables.cached(("home", judge), lambda: summarise(score_values(tables, judges=[judge]), (), judge).score)
        _show_score_badge(score, settings().pass_mark)
        if score is not None:
            show_trust_badge(store, run, judge)


def _show_score_badge(value: float | None, pass_mark: float) -> None:
    """Show a score as a badge: green at or above the pass mark, orange below, grey if unscored."""
    if value is None:
        st.badge(t("common.unscored"), icon=":material/remove:", color="gray")
        return
    icon, color = ("check", "green") if value >= pass_mark else ("priority_high", "orange")
    st.badge(percent(value), icon=f":material/{icon}:", color=color)


def show_links(bot: str, tried: bool) -> None:
    """Talk, try out, results; what to fix and whether a change helped, if there are results."""
    page_link("talk/chat", t("home.chat"), "chat", bot=bot)
    simulate_link(bot)
    page_link("results/scores", t("home.results"), "bar_chart", bot=bot)
    if tried:
        page_link("results/failures", t("scores.to_failures"), "build", bot=bot)
        page_link("results/compare", t("home.compare"), "difference", bot=bot)


def show_card(name: str) -> None:
    """One bot; a broken one says what is wrong and how to mend it."""
    with st.container(border=True, height="stretch"):
        try:
            bot = load_bot(name)
        except BadInput as error:
            st.subheader(plain(name), anchor=False)
            st.warning(plain(error_text(error)), icon=":material/build:")
            bot_settings_link(name)
            return
        st.subheader(plain(bot.name), anchor=False)
        show_state(name)
        st.markdown(plain(bot.description))
        st.caption(counts_text(bot))
        show_latest_score(name)
        show_links(name, bool(store.runs.all(name)))


heading(t("home.title"))
st.markdown(f"{t('home.lead')}  \n{t('home.lead2')}")
if not services().ready:
    loading = f":material/hourglass_top: {t('home.loading')}"
    watch(lambda: not services().ready, lambda: st.caption(loading))
bots = bots_by_language(language())
if not bots:
    st.info(t("common.no_bots", folder=plain(settings().knowledge_dir.name)), icon=":material/info:")
with st.container():
    for row in chunks(bots, 3):
        for column, name in zip(st.columns(3, gap="medium"), row, strict=False):
            with column:
                show_card(name)
st.caption(f":material/info: {answering_engine()}")
