"""The store: everything that is kept between two starts of the program."""

from __future__ import annotations

import threading
from functools import cache

from core.base.settings import settings
from core.store.answers import AnswerTables
from core.store.asking import AskingTables
from core.store.calls import CallTables
from core.store.chats import ChatTables
from core.store.database import Database
from core.store.faults import FaultTables
from core.store.history import HistoryTables
from core.store.leases import LeaseTables
from core.store.low import LowTables
from core.store.marks import MarkTables
from core.store.repeats import RepeatTables
from core.store.runs import RunTables
from core.store.turns import TurnTables

_OPENING = threading.Lock()


class Store(
    AnswerTables,
    LeaseTables,
    RunTables,
    HistoryTables,
    TurnTables,
    RepeatTables,
    AskingTables,
    FaultTables,
    ChatTables,
    CallTables,
    LowTables,
    MarkTables,
):
    """Runs, transcripts, scores, chats, feedback and calls to models in one database; safe to share between threads.

    Raises BadInput(key="data_folder") where the database's folder or file cannot be used.
    """

    def __init__(self, url: str) -> None:
        self.db = Database(url)
        self.folder = self.db.folder

    def close(self) -> None:
        """Give the connections back."""
        self.db.close()


def open_store(url: str = "") -> Store:
    """The process's one store for an address (default: the settings' database)."""
    with _OPENING:
        return _store(url or settings().store_url)


@cache
def _store(url: str) -> Store:
    return Store(url)
