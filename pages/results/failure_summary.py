"""What to fix in a run and the marks of a bot, cached until a score or a document changes, and what they come to."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import Failures, by_cause, judges_for_unclear, judges_to_confirm
from core.analysis.names import judge_name
from core.base.errors import BadInput
from core.base.types import Bot
from core.charts.causes import causes_bar
from core.runs.judging.jobs import JudgingRequest
from core.store.rows import RunRow
from pages.components.appearance import show_errors
from pages.components.judge_picker import show_judging
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.i18n.translate import language, t

if TYPE_CHECKING:
    from core.analysis.failures.marks import MarkHistory
    from core.retrieval.index import Index
    from core.store.store import Store

THRESHOLDS = {"3": 0.6, "2": 0.4, "4": 0.8}  # a turn fails at this Overall or less; the first is the default


def failures_of_run(store: Store, bot: Bot, run: RunRow, threshold: float) -> Failures:
    """What to fix in a run."""
    index = None if run.is_answer_file else index_of(bot)
    state = (str(store.db.engine.url), store.scores.newest().score, index.digest if index else "", run.status)
    return _failures(store, index, run.id, threshold, state)


@st.cache_resource(max_entries=16, show_spinner=False)
def _failures(
    _store: Store, _index: Index | None, run_id: str, threshold: float, state: tuple[object, ...]
) -> Failures:
    from core.analysis.failures.find import find_failures  # imports the index

    return find_failures(_store, run_id, threshold, _index)


def marks_of_bot(store: Store, bot: Bot, threshold: float) -> list[MarkHistory]:
    """The bot's marks with what later runs say about them."""
    index = index_of(bot)
    marks = tuple((*mark.key, str(mark.created_at)) for mark in store.failure_marks.of_bot(bot.id))
    if not marks:
        return []
    runs = tuple((run.id, run.status) for run in store.runs.all(bot.id))
    state = (str(store.db.engine.url), store.scores.newest().score, index.digest if index else "", marks, runs)
    return _marks(store, index, bot.id, threshold, state)


@st.cache_resource(max_entries=8, show_spinner=False)
def _marks(
    _store: Store, _index: Index | None, bot_id: str, threshold: float, state: tuple[object, ...]
) -> list[MarkHistory]:
    from core.analysis.failures.marks import mark_histories  # imports the index

    return mark_histories(_store, bot_id, threshold, _index)


def index_of(bot: Bot) -> Index | None:
    """The bot's index; none while it is being built, or if its documents are gone or cannot be read."""
    if services().is_loading(bot.id) or not bot.folder.is_dir():
        return None
    with suppress(BadInput):
        return services().indexes.get(bot)
    return None


def lacks_index(bot: Bot, run: RunRow) -> bool:
    """Whether the run needs an index that is still being built; ask before `failures_of_run`."""
    return not run.is_answer_file and bot.folder.is_dir() and services().is_loading(bot.id)


@st.fragment(run_every=1.0)
def wait_for_index(bot: Bot) -> None:
    """Show which causes need the index and how far it is; reruns the page when the index is ready."""
    if not services().is_loading(bot.id):
        st.rerun()
    causes = {name: t(f"failures.cause_{name}") for name in ("rewrite", "not_found")}
    now = services().loading[bot.id]
    progress = t("home.index_progress", done=f"{now.done:,}", total=f"{now.total:,}") if now.total else ""
    st.info(t("failures.no_index", **causes) + progress, icon=":material/hourglass_top:")


def cause_name(cause: Cause) -> str:
    """A cause in words."""
    return t(f"failures.cause_{cause}")


def document_name(document: str, why: str = "") -> str:
    """A document's name, or words for an unknown or missing one."""
    if document:
        return plain(document, links=False)
    return t("failures.not_written" if why == "unwritten" else "failures.no_document")


def draw_cause_chart(failures: Failures) -> None:
    """Draw how many points each cause cost."""
    with st.container(border=True):
        st.caption(f"{t('failures.bars')}　{t('failures.how')}")
        st.plotly_chart(
            causes_bar(by_cause(failures.turns), t).figure,
            config={"displayModeBar": False},
            alt=t("failures.bars"),
            key="chart-causes",
        )


def show_judges_to_add(run: RunRow, failures: Failures) -> None:
    """Show how many causes are unclear, and a button that lets the judges which would clear them up score the run."""
    if show_judging(run.id, "fix"):
        return
    unclear = sum(turn.diagnosis.cause in ("unclear", "unknown") for turn in failures.turns)
    unconfirmed = sum(turn.diagnosis.by == "words" and bool(turn.diagnosis.tell) for turn in failures.turns)
    for_unclear = judges_for_unclear(failures.turns)
    names = for_unclear or judges_to_confirm(failures.turns)
    if not names:
        if unclear:
            st.info(t("failures.would_tell_reference", n=unclear), icon=":material/help:")
        return
    key, n = ("would_tell", unclear) if for_unclear else ("would_assure", unconfirmed)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="judges-to-add"):
        st.markdown(t(f"failures.{key}", n=n, judges=judge_names(names)))
        if st.button(t("failures.let_judge"), icon=":material/gavel:", key="fix-judge"):
            with show_errors():
                _start_judging(run, names)
    if uses_model():
        st.caption(t("failures.let_judge_model", n=len(names)))


def _start_judging(run: RunRow, names: tuple[str, ...]) -> None:
    """Let judges score the run in the background; raises BadInput if the run is gone."""
    services().judgings.rejudge(run.id, JudgingRequest(names, {"language": language()}, engine()))
    st.rerun()


def judge_names(names: tuple[str, ...]) -> str:
    """Several judges in words."""
    return plain(t("common.comma").join(judge_name(name, t) for name in names))
