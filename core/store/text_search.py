"""Searching all that was said in a run and reasoned about it, folded and packed in memory.

Reading and folding the texts of ten thousand conversations takes a second or two, searching them less than a tenth.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow
from sqlalchemy import Connection, Select, func, select, type_coerce

from core.store.column_types import Words
from core.store.database import Database, with_reconnect
from core.store.run_tables import TableRepository, next_conversations
from core.store.schema import CONVERSATIONS, SCORES, TURNS

CHUNK = 100  # conversations that are read and packed together
BETWEEN = "\x1c"  # parts conversations: white space, which no word holds
PACKING = "zstd"
UNITS = "utf-16-le"
_C, _T, _S = CONVERSATIONS.c, TURNS.c, SCORES.c
arrow: Any = pyarrow  # without types


class Block(NamedTuple):
    """Some conversations in a row; size: in bytes, unpacked."""

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


class TextSearch:
    """Searches runs; the texts of a run stay in memory, packed, until something in it changes."""

    def __init__(self, db: Database, tables: TableRepository) -> None:
        self._db, self._tables = db, tables

    def find(self, run_id: str, text: str) -> frozenset[str]:
        """The ids of the conversations in which each word of `text` was said, or stands in a judge's reasons.

        Words are separated by spaces and found anywhere, as in Japanese; full and half width and upper and lower case
        are the same (NFKC, case-folded).
        """
        words, tables = tuple(_folded(text).split()), self._tables.of_run(run_id)

        def search() -> frozenset[str]:
            blocks = tables.cached("texts", lambda: read_texts(self._db, run_id), large=True)
            return frozenset(name for block in blocks for name in block.find(words))

        return tables.cached(("search", words), search) if words else frozenset()


@with_reconnect
def read_texts(db: Database, run_id: str) -> list[Block]:
    """All texts of a run, by the number of the conversation."""
    blocks: list[Block] = []
    after = (-1, "")
    with db.read() as connection:
        while conversations := connection.execute(next_conversations((_C.number, _C.id), run_id, after, CHUNK)).all():
            blocks.append(_block(connection, [str(name) for _, name in conversations]))
            after = (int(conversations[-1][0]), str(conversations[-1][1]))
    return blocks


def _block(connection: Connection, conversations: Sequence[str]) -> Block:
    """The texts of some conversations; in each a line break parts them, so that no word is found across two."""
    texts_of: dict[str, list[str | None]] = {name: [] for name in conversations}
    for name, *texts in connection.execute(_texts(conversations)).all():
        texts_of[name] += texts[2:] if texts_of[name] else texts  # the conversation's own come with each turn
    folded = ("\n".join(_folded(text) for text in texts if text) for texts in texts_of.values())
    text = BETWEEN.join(each.replace(BETWEEN, "\n") for each in folded).encode(UNITS, "surrogatepass")
    return Block(tuple(texts_of), len(text), arrow.compress(text, PACKING, asbytes=True))


def _texts(conversations: Iterable[str]) -> Select[*tuple[Any, ...]]:
    """A row for each turn of these conversations (one for a conversation without any)."""
    reasons = type_coerce(func.aggregate_strings(_S.reasons, "\n"), Words())
    reasons = select(reasons).where(_S.turn_id == _T.id).scalar_subquery()
    texts = (_C.question, _C.closing, _T.user_text, _T.reply_text, reasons)
    return select(_C.id, *texts).outerjoin_from(CONVERSATIONS, TURNS).where(_C.id.in_(list(conversations)))


def _folded(text: str) -> str:
    """NFKC, case-folded: finds a word in any width and case."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
