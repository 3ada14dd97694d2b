"""The failing turns of a run with their causes, worked out once until a verdict or a document changes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from core.analysis.failures.entries import Failures
from core.base.errors import BadInput
from core.base.types import Bot
from core.store.rows import RunRow
from pages.components.services import services
from pages.i18n.translate import t

if TYPE_CHECKING:
    from core.analysis.failures.marks import MarkHistory
    from core.retrieval.index import Index
    from core.store.store import Store

if TYPE_CHECKING:
    from core.store.store import Store


LINES = {"3": 0.6, "2": 0.4, "4": 0.8}  # an Overall up to which a turn is low; the first is the usual one


def find(store: Store, bot: Bot, run: RunRow, line: float) -> Failures:
    """What to fix in a run."""
    index = None if "file" in run.plan else index_of(bot)
    mark = index.digest if index else ""
    return _find(store, index, str(store.db.engine.url), run.id, run.status, line, store.scores.newest().score, mark)


def marked(store: Store, bot: Bot, line: float) -> list[MarkHistory]:
    """The bot's marks with what later runs say of them."""
    from core.analysis.failures.marks import mark_histories  # brings the index

    index = index_of(bot)
    marks = tuple((*mark.key, str(mark.created_at)) for mark in store.labels.failure_marks(bot.id))
    if not marks:
        return []
    runs = tuple((run.id, run.status) for run in store.runs.all(bot.id))
    stamp = (str(store.db.engine.url), store.scores.newest().score, index.digest if index else "", marks, runs)

    @st.cache_resource(max_entries=8, show_spinner=False)
    def work(bot_id: str, at: float, when: tuple[object, ...]) -> list[MarkHistory]:
        return mark_histories(store, bot_id, at, index)

    return work(bot.id, line, stamp)


def index_of(bot: Bot) -> Index | None:
    """The bot's index; none while it is still getting ready, and where its documents are gone or cannot be read."""
    if services().is_loading(bot.id) or not bot.folder.is_dir():
        return None
    with suppress(BadInput):
        return services().indexes.get(bot)
    return None


def lacks_index(bot: Bot, run: RunRow) -> bool:
    """Whether what is found now lacks an index that is still being made; to be asked before `find`."""
    return "file" not in run.plan and bot.folder.is_dir() and services().is_loading(bot.id)


def until_ready(bot: Bot) -> None:
    """What cannot be told while the index is made; the page is drawn again once it is there."""

    @st.fragment(run_every=1.0)
    def draw() -> None:
        if not services().is_loading(bot.id):
            st.rerun()
        causes = {name: t(f"failures.cause_{name}") for name in ("rewrite", "not_found")}
        now = services().loading[bot.id]
        done = t("home.index_progress", done=f"{now.done:,}", total=f"{now.total:,}") if now.total else ""
        st.info(t("failures.no_index", **causes) + done, icon=":material/hourglass_top:")

    draw()


@st.cache_resource(max_entries=16, show_spinner=False)
def _find(
    _store: Store, _index: Index | None, url: str, run_id: str, status: str, line: float, newest: int, mark: str
) -> Failures:
    from core.analysis.failures.find import find_failures  # brings the index

    return find_failures(_store, run_id, line, _index)
