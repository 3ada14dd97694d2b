"""What lives as long as the server: store, indexes, engine, batches, chats; built once, heavy imports in the background."""

from __future__ import annotations

import logging
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import streamlit as st

from core.base.bots import bot_ids, load_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.llm.embedded import EmbeddedEngine
from core.store.store import open_store
from pages.shared.draw import plain
from pages.shared.words import sentence

if TYPE_CHECKING:
    from core.retrieve.index import Indexes
    from core.run.batch import Batches
    from core.run.chat import Chats
    from core.store.store import Store

log = logging.getLogger(__name__)


class Loading(NamedTuple):
    """How far a bot's index is: passages embedded of all, and the error that stopped it."""

    state: Literal["waiting", "loading", "ready", "failed"]
    done: int = 0
    total: int = 0
    error: Exception | None = None


class House:
    """The long-lived objects of one server; no Streamlit in here, since a background thread fills it."""

    def __init__(self) -> None:
        self.engine = EmbeddedEngine()
        self.loading = {bot: Loading("waiting") for bot in bot_ids()}
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._warm_up, name="warm-up", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether nothing is left to load in the background."""
        return not self._thread.is_alive()

    @cached_property
    def store(self) -> Store:
        """The results database; raises BadInput where the data folder cannot be used."""
        with self._lock:
            return open_store(settings().database_url)

    @cached_property
    def indexes(self) -> Indexes:
        """The indexes of all bots."""
        with self._lock:
            from core.retrieve.index import Indexes  # brings Chroma: seconds, so never before the first page

            return Indexes()

    @cached_property
    def batches(self) -> Batches:
        """The runs under way; they go on whatever happens to a page."""
        with self._lock:
            from core.run.batch import Batches  # brings Chroma

            return self.__dict__.get("batches") or Batches(self.store, self.indexes, self.engine)

    @cached_property
    def chats(self) -> Chats:
        """The conversations under way."""
        with self._lock:
            from core.run.chat import Chats  # brings Chroma

            return self.__dict__.get("chats") or Chats(self.store, self.indexes, self.engine)

    def close(self) -> None:
        """Stop the runs under way (they are kept as stopped)."""
        if "batches" in self.__dict__:
            self.batches.close()

    def _warm_up(self) -> None:
        try:
            found = self.indexes
            _ = self.batches
        except Exception as error:  # told on the pages; the server goes on
            log.warning("not everything could be loaded: %s", error)
            self.loading = {bot: Loading("failed", error=error) for bot in self.loading}
            return
        for bot in list(self.loading):
            self._load(found, bot)

    def _load(self, found: Indexes, bot: str) -> None:
        def progress(done: int, total: int) -> None:
            self.loading[bot] = Loading("loading", done, total)

        progress(0, 0)
        try:
            index = found.get(load_bot(bot), progress)
            index.search("warm up", 1)
            self.loading[bot] = Loading("ready", len(index.passages), len(index.passages))
        except Exception as error:  # a broken bot is told on its pages; the others go on
            log.warning("bot %s could not be loaded: %s", bot, error)
            self.loading[bot] = Loading("failed", error=error)


@st.cache_resource(show_spinner=False, on_release=lambda house: house.close())
def house() -> House:
    """The one house of this server."""
    return House()


def need_store() -> Store:
    """The store; where the data folder cannot be used, one clear sentence and the end of the page."""
    try:
        return house().store
    except BadInput as error:
        st.error(plain(sentence(error)), icon=":material/error:")
        st.stop()
