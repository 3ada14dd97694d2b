"""All that was said in a run and reasoned about it, folded and packed in memory: what a search looks through.

Reading it out of the database takes most of a second for ten thousand conversations, looking through it less than a tenth.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow
from sqlalchemy import Select, and_, func, or_, select, type_coerce

from core.base.folding import UNITS, folded_units
from core.store.database import Database
from core.store.lasting import lasting
from core.store.look import Look
from core.store.runs import CONVERSATIONS, SCORES, TURNS
from core.store.words import Words, bare

LETTERS = 300_000  # of a block, which is unpacked as a whole: some hundred conversations
ROOM = 40_000_000  # bytes held for a run; what goes beyond is read at each search
RUNS_HELD = 2
ANSWERS = 8  # searches of a run whose findings are held: the page asks again with each click
ROWS = 200  # read from the database at a time
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
            wanted = _wanted(self._run_id, after, connection.dialect.name)
            for block in _blocks(connection.execution_options(yield_per=ROWS).execute(wanted)):
                full = full or len(block.packed) > self._room
                if not full:
                    self._held.append(block)
                    self._room -= len(block.packed)
                yield block
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


def _wanted(run_id: str, after: tuple[int, str], dialect: str) -> Select[*tuple[Any, ...]]:
    """A row for each turn (one for a conversation without any) of the conversations after one."""
    told = type_coerce(func.aggregate_strings(_S.reasons, "\n"), Words())
    reasons = select(told).where(_S.turn_id == _T.id)
    texts = (_C.question, _C.closing, _T.user_text, _T.reply_text, reasons.scalar_subquery())
    rows = select(_C.number, _C.id, *(bare(text, dialect) for text in texts))
    later = or_(_C.number > after[0], and_(_C.number == after[0], _C.id > after[1]))
    return rows.outerjoin_from(CONVERSATIONS, TURNS).where(_C.run_id == run_id, later).order_by(_C.number, _C.id)


def _blocks(rows: Iterable[Any]) -> Iterator[Block]:
    """Conversations together until there are LETTERS of them."""
    ids, said = list[str](), list[str]()
    last, letters = (-1, ""), 0
    for last, turns in groupby(rows, lambda row: (row[0], row[1])):
        ids.append(last[1])
        said.append(_said([row[2:] for row in turns]))
        letters += len(said[-1])
        if letters >= LETTERS:
            yield _block(last, ids, said)
            ids, said, letters = [], [], 0
    if ids:
        yield _block(last, ids, said)


def _said(turns: Sequence[Sequence[str | None]]) -> str:
    """All texts of a conversation; a line break parts them, so that no word is found across two."""
    about, each = turns[0][:2], [text for turn in turns for text in turn[2:]]
    return "\n".join(text for text in (*about, *each) if text).replace(BETWEEN, "\n")


def _block(last: tuple[int, str], ids: Sequence[str], said: Sequence[str]) -> Block:
    text = folded_units(BETWEEN.join(said))
    return Block(last, tuple(ids), len(text), arrow.compress(text, PACKING, asbytes=True))
