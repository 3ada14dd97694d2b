"""Searching all that was said in a run and reasoned about it, folded and packed in memory.

Reading and folding the texts of ten thousand conversations takes a second or two, searching them less than a tenth.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow
from sqlalchemy import Connection, Select, func, select, type_coerce

from core.store.column_types import Words, bare
from core.store.database import Database, with_reconnect
from core.store.run_queries import comes_after
from core.store.run_tables import RunTables, TableRepository
from core.store.schema import CONVERSATIONS, SCORES, TURNS
from core.text.normalize import fold_case

CHUNK = 100  # conversations that are read and packed together
ROOM = 40_000_000  # bytes in memory for a run; what goes beyond is read at each search
RUNS_CACHED = 2
ANSWERS = 8  # searches of a run whose results are cached: the page asks again with each click
BETWEEN = "\x1c"  # parts conversations: white space, which no word holds
PACKING = "zstd"
UNITS = "utf-16-le"
_C, _T, _S = CONVERSATIONS.c, TURNS.c, SCORES.c
arrow: Any = pyarrow  # without types


class Block(NamedTuple):
    """Some conversations in a row; last: number and id of the last; size: in bytes, unpacked."""

    last: tuple[int, str]
    ids: tuple[str, ...]
    size: int
    packed: bytes

    def find(self, words: Sequence[str]) -> Iterator[str]:
        """The conversations that hold every word."""
        text = arrow.decompress(self.packed, self.size, PACKING, asbytes=True).decode(UNITS, "surrogatepass")
        if all(word in text for word in words):
            for name, words_said in zip(self.ids, text.split(BETWEEN), strict=True):
                if all(word in words_said for word in words):
                    yield name


class RunTexts:
    """The texts of a run as they were when it was first searched; safe to share between threads."""

    def __init__(self, db: Database, run_id: str) -> None:
        self._db, self._run_id, self._lock = db, run_id, threading.Lock()
        self._blocks: list[Block] = []
        self._room, self._whole = ROOM, False
        self._answers: dict[tuple[str, ...], frozenset[str]] = {}

    def find(self, words: Sequence[str]) -> frozenset[str]:
        """The ids of the conversations in which every one of these words stands; they are folded, and not empty."""
        key = tuple(words)
        with self._lock:
            if key not in self._answers:
                self._answers[key] = self._search(key)
            while len(self._answers) > ANSWERS:
                self._answers.pop(next(iter(self._answers)))
            return self._answers[key]

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return sum(len(block.packed) for block in self._blocks)

    @with_reconnect
    def _search(self, words: Sequence[str]) -> frozenset[str]:
        names = [name for block in self._blocks for name in block.find(words)]
        return frozenset([*names, *(name for block in self._rest() for name in block.find(words))])

    def _rest(self) -> Iterator[Block]:
        """What is not in memory, which it is from now on as far as there is room."""
        if self._whole:
            return
        after, full = self._blocks[-1].last if self._blocks else (-1, ""), False
        with self._db.read() as connection:
            while conversations := _next(connection, self._run_id, after):
                block = _block(connection, conversations)
                full = full or len(block.packed) > self._room
                if not full:
                    self._blocks.append(block)
                    self._room -= len(block.packed)
                yield block
                after = block.last
        self._whole = not full


class TextSearch:
    """Searches runs; the texts of those that were searched last stay in memory until something in the run changes."""

    def __init__(self, db: Database, tables: TableRepository) -> None:
        self._db, self._tables, self._lock = db, tables, threading.Lock()
        self._cache: dict[str, tuple[RunTables, RunTexts]] = {}

    def find(self, run_id: str, text: str) -> frozenset[str]:
        """The ids of the conversations in which each word of `wanted` was said, or stands in a judge's reasons.

        Words are separated by spaces and found anywhere, as in Japanese; full and half width and upper and lower case
        are the same (NFKC, case-folded).
        """
        words = fold_case(text).split()
        return self.texts_of(run_id).find(words) if words else frozenset()

    def texts_of(self, run_id: str) -> RunTexts:
        """The texts of a run in its present state."""
        now = self._tables.of_run(run_id)
        with self._lock:
            before, texts = self._cache.pop(run_id, (None, None))
            if texts is None or before is not now:
                texts = RunTexts(self._db, run_id)
            self._cache[run_id] = now, texts
            while len(self._cache) > RUNS_CACHED:
                self._cache.pop(next(iter(self._cache)))
        return texts


def _next(connection: Connection, run_id: str, after: tuple[int, str]) -> list[tuple[int, str]]:
    """Number and id of the next conversations after one."""
    statement = (
        select(_C.number, _C.id).where(_C.run_id == run_id, comes_after(*after)).order_by(_C.number, _C.id).limit(CHUNK)
    )
    return [(int(number), str(name)) for number, name in connection.execute(statement)]


def _block(connection: Connection, conversations: Sequence[tuple[int, str]]) -> Block:
    """The texts of some conversations; in each a line break parts them, so that no word is found across two."""
    texts_of: dict[str, list[str | None]] = {name: [] for _, name in conversations}
    for name, *texts in connection.execute(_texts(texts_of, connection.dialect.name)).all():
        texts_of[name] += (
            texts if not texts_of[name] else texts[2:]
        )  # what the conversation itself has comes with each turn
    folded = (
        "\n".join(fold_case(text) for text in texts if text).replace(BETWEEN, "\n") for texts in texts_of.values()
    )
    text = BETWEEN.join(folded).encode(UNITS, "surrogatepass")
    return Block(conversations[-1], tuple(texts_of), len(text), arrow.compress(text, PACKING, asbytes=True))


def _texts(conversations: Iterable[str], dialect: str) -> Select[*tuple[Any, ...]]:
    """A row for each turn of these conversations (one for a conversation without any)."""
    reasons = type_coerce(func.aggregate_strings(_S.reasons, "\n"), Words())
    reasons = select(reasons).where(_S.turn_id == _T.id).scalar_subquery()
    texts = (bare(text, dialect) for text in (_C.question, _C.closing, _T.user_text, _T.reply_text, reasons))
    return select(_C.id, *texts).outerjoin_from(CONVERSATIONS, TURNS).where(_C.id.in_(list(conversations)))
