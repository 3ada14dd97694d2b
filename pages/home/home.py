"""What Kiku is, the bots, the state of search, and one click to everything."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import streamlit as st

from core.analysis.formatting import percent, percent_range
from core.analysis.names import criterion_label
from core.analysis.run_means import (
    MeanScore,
    PassVerdict,
    conversation_scores,
    main_criterion_in,
    mean_of,
    pass_verdict,
)
from core.base.bot_folder import load_bot
from core.base.chunks import chunks
from core.base.errors import BadInput
from core.base.settings import settings
from core.base.types import TURN_JUDGE, Bot
from core.documents.documents import read_documents
from core.simulation.scenarios import read_scenarios
from core.store.main_scores import main_judge
from core.store.rows import RunRow
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
VERDICTS: dict[PassVerdict, tuple[Literal["gray", "green", "orange"], str]] = {
    "reached": ("green", ":material/check:"),
    "open": ("gray", ":material/question_mark:"),
    "missed": ("orange", ":material/close:"),
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
    st.caption(f"{t('home.latest')} · {local_time(run.created_at)}")
    if run.status == "running":
        st.badge(t("home.running"), icon=":material/progress_activity:", color="blue")
        return
    tables = store.tables.of_run(run.id)
    judge = main_judge(tables.judges)
    criterion, score = tables.cached(("home", judge), lambda: _main_score(score_values(tables, judges=[judge]), judge))
    if score is None:
        st.badge(t("common.unscored"), icon=":material/remove:", color="gray")
        return
    pass_mark = settings().pass_mark if judge == TURN_JUDGE else None
    st.markdown(_score_text(run, plain(criterion_label(judge, criterion, t)), score, pass_mark))
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _show_verdict_badge(run, score, pass_mark)
        show_trust_badge(store, run, judge)


def _main_score(frame: pd.DataFrame, judge: str) -> tuple[str, MeanScore | None]:
    criterion = main_criterion_in(frame, judge)
    return criterion, mean_of(criterion, conversation_scores(frame, criterion, judge))


def _score_text(run: RunRow, criterion: str, score: MeanScore, pass_mark: float | None) -> str:
    """What was averaged and over how many conversations, the pass mark if it applies, and what sets the run apart."""
    details = [t("home.conversations", n=f"{score.n:,}")]
    details += [] if pass_mark is None else [t("charts.line", pass_mark=percent(pass_mark))]
    details += [] if run.plan.get("clarify", True) else [t("home.without_asking")]
    return t("home.mean", name=criterion, score=percent(score.mean), details=t("common.comma").join(details))


def _show_verdict_badge(run: RunRow, score: MeanScore, pass_mark: float | None) -> None:
    """Whether the pass mark is reached, missed, or that this cannot be told; an incomplete run has its status instead."""
    if run.status != "done":
        st.badge(t(f"status.{run.status}"), icon=":material/stop_circle:", color="gray")
    elif pass_mark is not None:
        verdict = pass_verdict(score.interval, pass_mark)
        color, icon = VERDICTS[verdict]
        st.badge(t(f"home.verdict_{verdict}"), icon=icon, color=color, help=_verdict_help(score, verdict))


def _verdict_help(score: MeanScore, verdict: PassVerdict) -> str:
    """The interval that the verdict follows from, or that there are too few scenarios for one."""
    if score.interval is None:
        return t("home.verdict_no_interval")
    return t(f"home.verdict_{verdict}_help", interval=percent_range(score.interval.low, score.interval.high))


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
bots = bots_by_language(language())
if not bots:
    st.info(t("common.no_bots", folder=plain(settings().knowledge_dir.name)), icon=":material/info:")
with st.container():
    for row in chunks(bots, 3):
        for column, name in zip(st.columns(3, gap="medium"), row, strict=False):
            with column:
                show_card(name)
if not services().ready:  # below the cards, which must not move under a visitor's pointer when this line disappears
    loading = f":material/hourglass_top: {t('home.loading')}"
    watch(lambda: not services().ready, lambda: st.caption(loading))
st.caption(f":material/info: {answering_engine()}")
