"""Rows and bytes of one conversation in the database, and CPU for each call, on SQLite and on PostgreSQL.

    python -m benchmarks.sizes [CONVERSATIONS] [DATABASE_URL]

CONVERSATIONS (100) of three turns by a model on loopback, each with its verdicts and its 13 calls in the call log. Without
DATABASE_URL in a SQLite file; with it (postgresql://…, an empty database) there.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqlalchemy import text

from benchmarks.bot_indexes import bots_in
from benchmarks.command_line import argument_parser
from benchmarks.loopback import loopback
from benchmarks.throughput import TURNS, kiku_on, make_bot
from core.base.addresses import database_address
from core.retrieval.index_cache import Indexes
from core.store.store import Store

TABLES = ("conversations", "turns", "scores", "calls")


def size(store: Store) -> float:
    """Bytes of the whole database, indexes and all."""
    with store.db.read() as connection:
        if store.db.embedded:
            connection.execute(text("pragma wal_checkpoint(truncate)"))
            pages = connection.execute(text("pragma page_count")).scalar() or 0
            return pages * int(connection.execute(text("pragma page_size")).scalar() or 0)
        return float(connection.execute(text("select pg_database_size(current_database())")).scalar() or 0)


def main(conversations: int, url: str) -> None:
    """Print the table."""
    with (
        tempfile.TemporaryDirectory() as folder,
        bots_in(Path(folder) / "knowledge") as knowledge,
        loopback(0.0) as server,
    ):
        make_bot(knowledge, conversations)
        indexes, store = Indexes(Path(folder) / "chroma"), Store(database_address(url) or f"sqlite:///{folder}/kiku.db")
        kiku_on(store, server, indexes, 4, 4)
        before = {table: rows(store, table) for table in TABLES}
        begun = size(store)
        done, _ = kiku_on(store, server, indexes, conversations, 8, seed=2)
        for table in TABLES:
            print(f"{table}: {(rows(store, table) - before[table]) / conversations:.1f} rows a conversation")
        print(f"{(size(store) - begun) / conversations / 1024:.1f} kB a conversation of {TURNS} turns, indexes and all")
        print(f"{done}; {done.calls / done.seconds:.0f} calls/s at 8 conversations, replies at once")
        store.close()


def rows(store: Store, table: str) -> int:
    """How many there are."""
    with store.db.read() as connection:
        return int(connection.execute(text(f"select count(*) from {table}")).scalar() or 0)


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("conversations", type=int, nargs="?", default=100)
    parser.add_argument("database_url", nargs="?", default="")
    options = parser.parse_args()
    main(options.conversations, options.database_url)
