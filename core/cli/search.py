"""The commands that search: search, index."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import Field

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.bot.turn import check_message
from core.cli.json_lines import Json, Row, each, read_rows, write_rows
from core.retrieval.documents import Document, read_documents
from core.retrieval.index import Index, Indexes


class Corpus(Row):
    """A document to be found."""

    text: str
    title: str = ""


class Query(Row):
    """What is looked for."""

    query: str = Field()


def search(arguments: argparse.Namespace, engine: Engine) -> int:
    """The best documents for each query, best first; a document counts by its best passage."""
    queries = read_rows(arguments.queries, Query)
    if arguments.bot:
        return _search(arguments, Indexes().get(load_bot(arguments.bot)), queries, {})
    documents, ids = _corpus(arguments.corpus)
    with TemporaryDirectory(prefix="kiku-corpus-", ignore_cleanup_errors=True) as folder:
        return _search(arguments, Indexes(Path(folder)).of_documents("corpus", documents), queries, ids)


def index(arguments: argparse.Namespace, engine: Engine) -> int:
    """Build a bot's index, or bring it up to date."""
    bot = load_bot(arguments.bot)
    start = time.perf_counter()
    built = Indexes().get(bot, _progress if sys.stderr.isatty() else None, arguments.rebuild)
    found = {"bot": bot.id, "documents": len(read_documents(bot)), "passages": len(built.passages)}
    seconds = round(time.perf_counter() - start, 2)
    if not built.passages:
        raise BadInput(
            f"{bot.id} has no text to search ({found['documents']} documents). Add .md or .txt files with text to its "
            "documents folder and try again.",
            "no_text",
            bot=bot.id,
        )
    _tell_empty(built.empty_documents)
    if arguments.json:
        print(json.dumps({**found, "seconds": seconds}))
    else:
        print(f"{bot.id}: {found['documents']} documents, {found['passages']} passages, {seconds:.1f} s")
    return 0


def best_documents(index: Index, query: str, k: int) -> list[tuple[str, float]]:
    """The k best documents for a query with their best passages' scores."""
    wanted = k * 2
    while True:
        hits = index.search(query, wanted)
        best: dict[str, float] = {}
        for hit in hits:
            best.setdefault(hit.passage.document, hit.score)
        if len(best) >= k or len(hits) < wanted:
            return list(best.items())[:k]
        wanted *= 4


def _search(arguments: argparse.Namespace, index: Index, queries: list[Query], ids: dict[str, str | int]) -> int:
    def work(row: Query) -> Json:
        found = best_documents(index, check_message(row.query), arguments.k)
        return {"hits": [{"id": ids.get(document, document), "score": score} for document, score in found]}

    write_rows(arguments.output, each(queries, work, {"hits": []}))
    return 0


def _corpus(name: str) -> tuple[list[Document], dict[str, str | int]]:
    """The documents of a corpus file, and the ids as they were given (a number stays a number)."""
    documents: list[Document] = []
    ids: dict[str, str | int] = {}
    for row in read_rows(name, Corpus):
        if str(row.id) in ids:
            raise BadInput(f"{Path(name).name}: the id {row.id!r} is there twice. Give each document its own id.")
        ids[str(row.id)] = row.id
        documents.append(Document(str(row.id), f"{row.title}\n{row.text}" if row.title.strip() else row.text))
    return documents, ids


def _tell_empty(names: tuple[str, ...]) -> None:
    if names:
        listed, count = ", ".join(names), "1 document holds" if len(names) == 1 else f"{len(names)} documents hold"
        print(
            f"{count} no text and cannot be found: {listed}. Write something into them, or delete them.",
            file=sys.stderr,
        )


def _progress(done: int, total: int) -> None:
    print(f"\r{done} / {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)
