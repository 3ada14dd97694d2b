"""All that was said in a run and reasoned about it, folded and packed in memory: what a search looks through.

Reading it out of the database takes most of a second for ten thousand conversations, looking through it less than a tenth.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow
from sqlalchemy import Connection, Select, and_, func, or_, select, type_coerce

from core.store.database import Database
from core.store.fold_text import UNITS, folded_units
from core.store.look import Look
from core.store.retry import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS
from core.store.text_columns import Words, bare

CHUNK = 100  # conversations that are read and packed together
ROOM = 40_000_000  # bytes held for a run; what goes beyond is read at each search
RUNS_HELD = 2
ANSWERS = 8  # searches of a run whose findings are held: the page asks again with each click
BETWEEN = "\x1c"  # parts conversations: white space, which no word holds
PACKING = "zstd"
_C, _T, _S = CONVERSATIONS.c, TURNS.c, SCORES.c
arrow: Any = pyarrow  # without types


class Block(NamedTuple):
    """Some conversations in a row; last: number and id of the last; size: in bytes, unpacked."""

    last: tuple[int, str]
    ids: tuple[str, ...]
    size: int
    packed: bytes

    def holding(self, words: Sequence[str]) -> Iterator[str]:
        """The conversations that hold every word."""
        text = arrow.decompress(self.packed, self.size, PACKING, asbytes=True).decode(UNITS, "surrogatepass")
        if all(word in text for word in words):
            for mark, said in zip(self.ids, text.split(BETWEEN), strict=True):
                if all(word in said for word in words):
                    yield mark


class Texts:
    """The texts of a run as they were when it was first searched; safe to share between threads."""

    def __init__(self, db: Database, run_id: str) -> None:
        self._db, self._run_id, self._lock = db, run_id, threading.Lock()
        self._held: list[Block] = []
        self._room, self._whole = ROOM, False
        self._answers: dict[tuple[str, ...], frozenset[str]] = {}

    def holding(self, words: Sequence[str]) -> frozenset[str]:
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
        """Bytes held."""
        return sum(len(block.packed) for block in self._held)

    @lasting
    def _search(self, words: Sequence[str]) -> frozenset[str]:
        found = [mark for block in self._held for mark in block.holding(words)]
        return frozenset([*found, *(mark for block in self._rest() for mark in block.holding(words))])

    def _rest(self) -> Iterator[Block]:
        """What is not held, which it is from now on as far as there is room."""
        if self._whole:
            return
        after, full = self._held[-1].last if self._held else (-1, ""), False
        with self._db.read() as connection:
            while talks := _next(connection, self._run_id, after):
                block = _block(connection, talks)
                full = full or len(block.packed) > self._room
                if not full:
                    self._held.append(block)
                    self._room -= len(block.packed)
                yield block
                after = block.last
        self._whole = not full


class Shelf:
    """The texts of the runs that were searched last, each as long as its run stays as it was looked at."""

    def __init__(self, db: Database) -> None:
        self._db, self._lock = db, threading.Lock()
        self._kept: dict[str, tuple[Look, Texts]] = {}

    def at(self, run_id: str, look: Look) -> Texts:
        """The texts of a run; look: at its present state (`core.store.looks`)."""
        with self._lock:
            before, texts = self._kept.pop(run_id, (None, None))
            if texts is None or before is not look:
                texts = Texts(self._db, run_id)
            self._kept[run_id] = look, texts
            while len(self._kept) > RUNS_HELD:
                self._kept.pop(next(iter(self._kept)))
        return texts


def _next(connection: Connection, run_id: str, after: tuple[int, str]) -> list[tuple[int, str]]:
    """Number and id of the next conversations after one."""
    later = and_(_C.number >= after[0], or_(_C.number > after[0], _C.id > after[1]))
    some = select(_C.number, _C.id).where(_C.run_id == run_id, later).order_by(_C.number, _C.id).limit(CHUNK)
    return [(int(number), str(mark)) for number, mark in connection.execute(some)]


def _block(connection: Connection, talks: Sequence[tuple[int, str]]) -> Block:
    """The texts of some conversations; in each a line break parts them, so that no word is found across two."""
    said: dict[str, list[str | None]] = {mark: [] for _, mark in talks}
    for mark, *texts in connection.execute(_texts(said, connection.dialect.name)).all():
        said[mark] += texts if not said[mark] else texts[2:]  # what the conversation itself has comes with each turn
    each = ("\n".join(text for text in texts if text).replace(BETWEEN, "\n") for texts in said.values())
    text = folded_units(BETWEEN.join(each))
    return Block(talks[-1], tuple(said), len(text), arrow.compress(text, PACKING, asbytes=True))


def _texts(talks: Iterable[str], dialect: str) -> Select[*tuple[Any, ...]]:
    """A row for each turn of these conversations (one for a conversation without any)."""
    told = type_coerce(func.aggregate_strings(_S.reasons, "\n"), Words())
    reasons = select(told).where(_S.turn_id == _T.id).scalar_subquery()
    texts = (bare(text, dialect) for text in (_C.question, _C.closing, _T.user_text, _T.reply_text, reasons))
    return select(_C.id, *texts).outerjoin_from(CONVERSATIONS, TURNS).where(_C.id.in_(list(talks)))
