"""Collections: one for each state of a bot's documents, whole before it has its name, whoever else builds the same."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from chromadb.errors import ChromaError, NotFoundError

from core.base.retry import lastingly
from core.base.types import Passage
from core.retrieval.chroma import ChromaGone, answering
from core.retrieval.passages import CHUNKER
from core.retrieval.vectors import Embedder, Matrix

Progress = Callable[[int, int], None]
BATCH = 256  # Chroma takes at most 5,461 rows a call; small batches keep the progress bar moving
BUILT = "x1"  # part of a collection's name: another value builds all again
# Chroma's graph, built by one thread and searched widely enough to be exact for some ten thousand passages
EXACT = {"space": "cosine", "ef_construction": 400, "ef_search": 400, "max_neighbors": 32, "num_threads": 1}
RENAMES = 20  # tries of a collection to get its name while other processes build, name and drop the same
OLD = timedelta(days=7)  # on a server, others may still search what was built of earlier documents


class Wanted(NamedTuple):
    """What a collection has to hold: the passages of a bot (or corpus) in the state `mark`."""

    bot: str
    mark: str
    embedder: Embedder
    found: list[Passage]

    @property
    def name(self) -> str:
        """The collection's name."""
        model = Path(self.embedder.name).name.lower()
        plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in model)
        return f"kiku-{self.bot}-{plain[-40:].strip('-') or 'model'}-{CHUNKER}-{BUILT}-{self.mark}"


class Shelf:
    """One collection; on a server (`url`) it is opened again where another process has replaced it."""

    def __init__(self, client: Any, wanted: Wanted, url: str = "") -> None:
        self._client, self._wanted, self._url = client, wanted, url
        self._collection: Any = None

    def open(self, progress: Progress | None = None, rebuild: bool = False) -> None:
        """Open the collection, or build it where it is missing or broken; older ones of the same bot are dropped."""
        self._lasting(lambda: self._open(progress, rebuild))

    def nearest(self, rows: Matrix, count: int) -> Any:
        """The nearest passages as Chroma gives them: `ids` and `distances` for each row."""
        return self._lasting(lambda: self._query(rows, count))

    def _query(self, rows: Matrix, count: int) -> Any:
        try:
            return self._collection.query(query_embeddings=rows, n_results=count, include=["distances"])
        except NotFoundError:  # another process has built it anew
            self._open(None, False)
            return self._collection.query(query_embeddings=rows, n_results=count, include=["distances"])

    def _lasting(self, work: Callable[[], Any]) -> Any:
        if not self._url:
            return work()

        def told() -> Any:
            with answering(self._url):
                return work()

        return lastingly(told, ChromaGone)

    def _open(self, progress: Progress | None, rebuild: bool) -> None:
        wanted, everything = self._wanted, list(self._client.list_collections())
        there = next((item for item in everything if item.name == wanted.name), None)
        if there is not None and not rebuild and _answers(there, wanted):
            self._collection = there
        else:
            self._collection = self._built(there, progress)
        for item in self._outdated([item for item in everything if item is not there and _of(item, wanted.bot)]):
            self._drop(item.name)

    def _built(self, broken: Any, progress: Progress | None) -> Any:
        """A whole collection of the wanted name; nothing half made is left behind where that fails."""
        name = f"{self._wanted.name}-{secrets.token_hex(4)}"
        try:
            built = _build(self._client, self._wanted, name, progress)
            if broken is not None:
                self._drop(self._wanted.name)
            return self._put(built)
        except Exception:
            with suppress(ChromaError, httpx.HTTPError):
                self._drop(name)
            raise

    def _put(self, built: Any) -> Any:
        """Give a collection its name; where another process was quicker, theirs is taken if it is whole."""
        name = self._wanted.name
        for _ in range(RENAMES - 1):
            with suppress(ChromaError):  # the name is taken
                built.modify(name=name)
                return built
            with suppress(NotFoundError):  # and free again
                theirs = self._client.get_collection(name)
                if _answers(theirs, self._wanted):
                    self._drop(built.name)
                    return theirs
                self._drop(name)
        built.modify(name=name)
        return built

    def _outdated(self, others: list[Any]) -> list[Any]:
        """Those to drop: in a folder all but the newest other state, on a server what was built long ago."""
        others.sort(key=lambda item: item.metadata["built"], reverse=True)
        if not self._url:
            return others[1:]
        return [item for item in others if datetime.fromisoformat(item.metadata["built"]) < datetime.now(UTC) - OLD]

    def _drop(self, name: str) -> None:
        try:
            self._client.delete_collection(name)
        except NotFoundError:
            return  # another process has dropped it


def _build(client: Any, wanted: Wanted, name: str, progress: Progress | None) -> Any:
    """A collection with all passages, under this name for the time being."""
    found, embedder = wanted.found, wanted.embedder
    now = datetime.now(UTC).isoformat(timespec="seconds")
    told = {"bot": wanted.bot, "model": embedder.name, "chunker": CHUNKER, "passages": len(found), "built": now}
    collection = client.create_collection(name, metadata=told, configuration={"hnsw": EXACT})
    for start in range(0, len(found), BATCH):
        part = found[start : start + BATCH]
        collection.add(
            ids=[passage.id for passage in part],
            embeddings=embedder.encode([f"{p.title} / {p.heading}\n{p.text}" for p in part]),
            documents=[passage.text for passage in part],
            metadatas=[{"document": p.document, "title": p.title, "heading": p.heading} for p in part],
        )
        if progress:
            progress(start + len(part), len(found))
    return collection


def _of(item: Any, bot: str) -> bool:
    """Whether a collection was built for this bot."""
    known: dict[str, object] = item.metadata or {}
    return known.get("bot") == bot and "built" in known


def _answers(collection: Any, wanted: Wanted) -> bool:
    """Whether the collection is whole and can be searched from this process (another may have written it meanwhile)."""
    try:
        if collection.count() != len(wanted.found):
            return False
        if not wanted.found or not wanted.embedder.semantic:
            return True
        first = collection.get(ids=[wanted.found[0].id], include=["embeddings"])
        return bool(first["ids"] and collection.query(query_embeddings=first["embeddings"], n_results=1)["ids"][0])
    except NotFoundError:  # another process has dropped it
        return False
