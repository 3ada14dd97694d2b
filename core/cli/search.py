"""`search`: the best documents for queries, in a bot's documents or in a corpus file."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import Hit
from core.bot.turn import check_message
from core.cli.input_rows import DocumentRow, QueryRow
from core.cli.json_lines import map_rows, read_rows, write_rows
from core.cli.options import warn_of_left_out
from core.documents.documents import Document
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes


def run(arguments: argparse.Namespace) -> int:
    """Write the best documents for each query, best first; a document counts by its best passage."""
    queries = read_rows(arguments.queries, QueryRow)
    if arguments.bot:
        bot = load_bot(arguments.bot)
        warn_of_left_out(bot)
        results = _search(Indexes().get(bot), queries, arguments.k, {})
    else:
        documents, ids = _corpus(arguments.corpus)
        with TemporaryDirectory(prefix="kiku-corpus-", ignore_cleanup_errors=True) as folder:
            results = _search(Indexes(Path(folder)).of_documents("corpus", documents), queries, arguments.k, ids)
    write_rows(arguments.output, results)
    return 0


def _search(index: Index, queries: list[QueryRow], k: int, ids: dict[str, str | int]) -> list[dict[str, Any]]:
    def hits(row: QueryRow) -> dict[str, Any]:
        ranked = best_documents(index, check_message(row.query), k)
        if ids:
            return {"hits": [{"id": ids[hit.document], "score": hit.score} for hit in ranked]}
        return {"hits": [{"id": hit.document, "heading": hit.heading, "score": hit.score} for hit in ranked]}

    return map_rows(queries, hits, {"hits": []})


def best_documents(index: Index, query: str, k: int) -> list[Hit]:
    """The k best documents for a query, each by its best passage."""
    passage_count = k * 2
    while True:
        hits = index.search(query, passage_count)
        best: dict[str, Hit] = {}
        for hit in hits:
            best.setdefault(hit.document, hit)
        if len(best) >= k or len(hits) < passage_count:
            return list(best.values())[:k]
        passage_count *= 4


def _corpus(name: str) -> tuple[list[Document], dict[str, str | int]]:
    """The documents of a corpus file, and the ids as they were given (a number stays a number)."""
    documents: list[Document] = []
    ids: dict[str, str | int] = {}
    for row in read_rows(name, DocumentRow):
        if str(row.id) in ids:
            raise BadInput(f"{Path(name).name}: the id {row.id!r} is there twice. Give each document its own id.")
        ids[str(row.id)] = row.id
        documents.append(Document(str(row.id), f"{row.title}\n{row.text}" if row.title.strip() else row.text))
    return documents, ids
