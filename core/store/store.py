"""The store: everything that is kept between two starts of the program."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from functools import cache

import pandas as pd

from core.base.settings import settings
from core.store.answers import AnswerTables
from core.store.asking import AskingTables
from core.store.calls import CallTables
from core.store.cases import CaseTables
from core.store.chats import ChatTables
from core.store.database import Database
from core.store.exports import ExportTables
from core.store.faults import FaultTables
from core.store.history import HistoryTables
from core.store.leases import LeaseTables
from core.store.look import Look
from core.store.looks import Looks
from core.store.low import LowTables
from core.store.marks import MarkTables
from core.store.reading import ReadingTables
from core.store.recording import RecordTables
from core.store.runs import RunTables
from core.store.scores import RepeatTables
from core.store.texts import Shelf
from core.text.normalize import fold_case

_OPENING = threading.Lock()


class Store(
    AnswerTables,
    LeaseTables,
    RunTables,
    RecordTables,
    HistoryTables,
    ExportTables,
    ReadingTables,
    RepeatTables,
    AskingTables,
    FaultTables,
    ChatTables,
    CallTables,
    CaseTables,
    LowTables,
    MarkTables,
):
    """Runs, transcripts, scores, chats, feedback and calls to models in one database; safe to share between threads.

    Raises BadInput(key="data_folder") where the database's folder or file cannot be used.
    """

    def __init__(self, url: str) -> None:
        self.db = Database(url)
        self.folder = self.db.folder
        self._looks, self._shelf = Looks(self.db), Shelf(self.db)

    def look(self, run_id: str) -> Look:
        """The numbers of a run as they are now, without texts; quick at any size, and kept until the run changes."""
        return self._looks.at(run_id)

    def holding(self, run_id: str, wanted: str) -> frozenset[str]:
        """The ids of the conversations in which each word of `wanted` was said, or stands in a judge's reasons.

        Words are parted by spaces and found anywhere, as in Japanese; full and half width and upper and lower case are
        the same (NFKC, case-folded).
        """
        words = fold_case(wanted).split()
        return self._shelf.at(run_id, self.look(run_id)).holding(words) if words else frozenset()

    def stamp(self, run_id: str) -> object:
        """What changes whenever a number of a run does."""
        return self._looks.stamp(run_id)

    def score_values(
        self, run_id: str, versions: Mapping[str, str] | None = None, judges: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """`score_frame` without its texts (label, reasons, error), words as categories: for means and charts.

        `value` is NaN where a verdict is unscored, `version` "" where the judge never saw the turn; several verdicts of
        one version on one turn and criterion are one row, their mean. judges: only these (default: all of the run).
        """
        return self.look(run_id).values(versions, judges)

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
