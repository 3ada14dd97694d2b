"""The objects that live as long as the server (store, indexes, engine, runner, chats), built once; results that are cached."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import streamlit as st

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.jobs import Jobs
from core.base.prompt import Engine
from core.base.settings import Settings, settings
from core.base.types import Bot
from core.llm.embedded import EmbeddedEngine
from core.llm.prices import Prices, read_prices
from core.store.store import open_store
from pages.components.appearance import show_error
from pages.components.bot_picker import bots_by_language

if TYPE_CHECKING:
    from core.chats.chats import Chats
    from core.datasets.dataset_jobs import DatasetJob, DocumentQuestionsJob, ExampleQuestionsJob
    from core.optimization.job import OptimizeJob
    from core.retrieval.index import Index
    from core.retrieval.index_cache import Indexes
    from core.runs.judging.jobs import JudgingJobs
    from core.runs.replay import Replays
    from core.runs.runner import Runner
    from core.store.store import Store

log = logging.getLogger(__name__)
T = TypeVar("T")
FIRST_PAGE_SECONDS = 20.0  # that the indexes wait for the first page to be drawn


class Loading(NamedTuple):
    """The progress of building a bot's index."""

    state: Literal["waiting", "loading", "ready", "failed"]
    done: int = 0  # passages embedded
    total: int = 0  # passages


class Services:
    """The long-lived objects of one server; no Streamlit in here, since a background thread fills it."""

    def __init__(self) -> None:
        self.loading = {bot: Loading("waiting") for bot in bots_by_language("ja")}  # English needs the embedder: last
        self.optimizations: Jobs[str, OptimizeJob] = Jobs()  # that search for better prompts, by bot and prompt
        self.datasets: Jobs[str, DatasetJob | DocumentQuestionsJob] = Jobs()  # that make test sets, by folder or bot
        self.example_questions: Jobs[str, ExampleQuestionsJob] = Jobs()  # that write example questions, by bot
        self._built: dict[str, Any] = {}
        self._prepared: set[str] = set()
        self._engine: tuple[object, Engine] | None = None
        self._lock, self._engine_lock = threading.RLock(), threading.Lock()  # a page need not wait for the indexes
        self._page_drawn = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._warm_up, name="warm-up", daemon=True)
        self._thread.start()

    @property
    def ready(self) -> bool:
        """Whether nothing is left to load in the background."""
        return not self._thread.is_alive()

    @property
    def store(self) -> Store:
        """The results database; raises BadInput if the data folder cannot be used."""
        return open_store(settings().store_url)

    @property
    def owners_engine(self) -> Engine:
        """The engine on the owner's server; built anew when settings or prices change (a run keeps its engine).

        Raises BadInput if an address, a key or a model's name is missing.
        """
        built_from = (settings(), read_prices())
        with self._engine_lock:
            if self._engine is None or self._engine[0] != built_from:
                self._engine = (built_from, self.engine_for(*built_from))
            return self._engine[1]

    def engine_for(self, settings: Settings, prices: Prices | None = None) -> Engine:
        """A new engine on the owner's server with such settings; raises BadInput if something is missing."""
        from core.llm.engine_choice import openai_engine  # brings the client: only if it is wanted

        return openai_engine(settings, self.store.calls, prices)

    def forget_engine(self) -> None:
        """Build the owner's engine anew when it is needed next."""
        with self._engine_lock:
            self._engine = None

    @property
    def indexes(self) -> Indexes:
        from core.retrieval.index_cache import Indexes  # brings Chroma: never before the first page is up

        return self._once("indexes", Indexes)

    @property
    def runner(self) -> Runner:
        """The running runs, each with the engine it was started with; they continue when a page is closed."""
        from core.runs.runner import Runner  # brings the indexes, like the next two

        return self._once("runner", lambda: Runner(self.store, self.indexes, EmbeddedEngine()))

    @property
    def judging_jobs(self) -> JudgingJobs:
        """The jobs that judge runs and files, each with the engine it was started with."""
        from core.runs.judging.jobs import JudgingJobs

        return self._once("judging_jobs", lambda: JudgingJobs(self.store, EmbeddedEngine(), indexes=self.indexes))

    @property
    def chats(self) -> Chats:
        """The chats, with the replies that are being made."""
        from core.chats.chats import Chats

        return self._once("chats", lambda: Chats(self.store, self.indexes, EmbeddedEngine()))

    @property
    def replays(self) -> Replays:
        from core.runs.replay import Replays  # brings the index

        return self._once("replays", Replays)

    def is_loading(self, bot: str) -> bool:
        """Whether the bot's index is still to be made in the background."""
        return bot in self.loading and self.loading[bot].state in ("waiting", "loading")

    def index_of(self, bot: Bot) -> Index | None:
        """The bot's index; None while it is being built, or if its documents are gone or cannot be read."""
        if self.is_loading(bot.id) or not bot.folder.is_dir():
            return None
        with suppress(BadInput):
            return self.indexes.get(bot)
        return None

    def close(self) -> None:
        """Stop the running jobs, and load nothing more; replies that are being made are finished."""
        with self._lock:
            self._is_closed = True
            built = [self._built[name] for name in ("runner", "judging_jobs", "replays") if name in self._built]
        self._page_drawn.set()
        for jobs in (*built, self.optimizations, self.datasets, self.example_questions):
            jobs.close()

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._built:
            with self._lock:
                if name not in self._built:
                    self._built[name] = make()
        return self._built[name]

    def prepare(self, bot: str) -> None:
        """Load the embedding model in the background if this bot needs it, so that the first question need not wait."""
        if self.ready and self.loading.get(bot, Loading("waiting")).state == "ready" and bot not in self._prepared:
            self._prepared.add(bot)
            threading.Thread(target=self._search_once, args=(bot,), name=f"prepare-{bot}", daemon=True).start()

    def _search_once(self, bot: str) -> None:
        with suppress(Exception):  # reported when somebody asks
            index = self.indexes.get(load_bot(bot))
            if index.embedder:
                index.search("warm up", 1)

    def page_is_drawn(self) -> None:
        """A first page has been drawn, so that loading the indexes no longer slows it down."""
        self._page_drawn.set()

    def _warm_up(self) -> None:
        self._page_drawn.wait(FIRST_PAGE_SECONDS)
        try:
            with self._lock:
                if self._is_closed:
                    return
                indexes, _ = self.indexes, self.runner
        except Exception as error:  # reported on the pages; the server goes on
            log.warning("not everything could be loaded: %s", error)
            self.loading = {bot: Loading("failed") for bot in self.loading}
            return
        for bot in list(self.loading):
            if not self._is_closed:
                self._load(indexes, bot)

    def _load(self, indexes: Indexes, bot: str) -> None:
        def progress(done: int, total: int) -> None:
            self.loading[bot] = Loading("loading", done, total)

        progress(0, 0)
        try:
            index = indexes.get(load_bot(bot), progress)
            if not index.embedder:
                index.search("warm up", 1)  # an embedding model takes half a gigabyte: see `prepare`
            self.loading[bot] = Loading("ready", len(index.passages), len(index.passages))
        except Exception as error:  # a broken bot is reported on its pages; the others go on
            log.warning("bot %s could not be loaded: %s", bot, error)
            self.loading[bot] = Loading("failed")


@st.cache_resource(show_spinner=False, on_release=lambda services: services.close())
def services() -> Services:
    return Services()


def need_store() -> Store:
    """The store; if the data folder cannot be used, one clear sentence and the end of the page."""
    try:
        return services().store
    except BadInput as error:
        show_error(error)
        st.stop()


def cached(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """What `make` returns, computed once for a key, which names all that the result depends on besides the store."""
    return _cached((services().store.db.url, *key), make)


@st.cache_resource(show_spinner=False, max_entries=64)
def _cached(key: tuple[object, ...], _make: Callable[[], T]) -> T:
    return _make()
