"""The results database."""

from __future__ import annotations

import atexit
import threading
from functools import cache

from core.base.settings import settings
from core.store.calls import CallRepository
from core.store.chats import ChatRepository
from core.store.conversations import ConversationRepository
from core.store.database import Database
from core.store.export_records import RecordRepository
from core.store.fixed_entries import FixedEntryRepository
from core.store.labels import LabelRepository
from core.store.leases import LeaseRepository
from core.store.preferences import PreferenceRepository
from core.store.run_tables import TableRepository
from core.store.runs import RunRepository
from core.store.scores import ScoreRepository
from core.store.text_search import TextSearch

_OPENING = threading.Lock()


class Store:
    """One database, by what is in it; safe to share between threads.

    Raises BadInput(key="data_folder") if the database's folder or file cannot be used.
    """

    def __init__(self, url: str) -> None:
        self.db = Database(url)
        self.folder = self.db.folder
        self.runs = RunRepository(self.db)
        self.leases = LeaseRepository(self.db)
        self.conversations = ConversationRepository(self.db)
        self.scores = ScoreRepository(self.db)
        self.chats = ChatRepository(self.db)
        self.fixed_entries = FixedEntryRepository(self.db)
        self.labels = LabelRepository(self.db)
        self.preferences = PreferenceRepository(self.db)
        self.calls = CallRepository(self.db)
        self.tables = TableRepository(self.db)
        self.text_search = TextSearch(self.db, self.tables)
        self.records = RecordRepository(self.db, self.tables)

    def close(self) -> None:
        self.db.close()


def open_store(url: str = "") -> Store:
    """The process's one store for an address (default: the settings' database)."""
    with _OPENING:
        return _store(url or settings().store_url)


@cache
def _store(url: str) -> Store:
    store = Store(url)
    atexit.register(store.close)  # SQLite then has everything in the one file
    return store
