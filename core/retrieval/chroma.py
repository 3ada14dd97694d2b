"""Passages in Chroma: one client for each folder or server, one collection for each state of a bot's documents."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import chromadb
import httpx
import numpy as np
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import ChromaError, NotFoundError
from filelock import FileLock

from core.base.errors import BadInput
from core.base.retry import retry_connection
from core.base.thread_pool import Pool
from core.base.types import Passage
from core.documents.heading_names import last_heading
from core.documents.passages import CHUNKER
from core.retrieval.embedders import Embedder, Matrix
from core.retrieval.stored_vectors import stored_vectors
from core.text.language import content_words, sentences

Progress = Callable[[int, int], None]
R = TypeVar("R")
TIMEOUT_SECONDS = 60.0  # seconds for one answer of a server
BATCH_RECORDS = 256  # records added at once: Chroma takes at most 5,461, and small batches keep the progress bar moving
MAX_PIECE_WORDS = 20  # content words of a piece of a passage that is embedded by itself
# Between a passage's id and the number of a piece.
PIECE_MARK = "-"
# Part of a collection's name: another value builds all again.
SCHEME = "x2"
# Chroma's graph, built by one thread and searched widely enough to be exact for some ten thousand passages.
EXACT_SEARCH = {"space": "cosine", "ef_construction": 400, "ef_search": 400, "max_neighbors": 32, "num_threads": 1}
MAX_RENAMES = 20  # tries to give a collection its name while other processes build, name and drop the same one
# collections of earlier documents stay on a server this long, since other processes may still search them
MAX_AGE = timedelta(days=7)
MAX_DETAIL_CHARACTERS = 200  # characters of an error of Chroma that are shown
_OPENING = threading.Lock()


class ChromaUnavailable(BadInput):
    """The Chroma server cannot be reached, or refuses."""


def chroma_client(folder: Path) -> Any:
    """The process's one client for a folder (Chroma breaks if one path is opened twice at a time)."""
    with _OPENING:
        return _client(folder)


def chroma_server(url: str, token: str = "") -> Any:
    """The process's one client for a server; raises BadInput if it cannot be reached."""
    with _OPENING:
        try:
            return call_with_timeout(_server, url, token)
        except Exception as error:  # any server may answer there, in any way
            raise _unavailable(url, error) from error


def call_with_timeout(work: Callable[..., R], *args: object, **kwargs: object) -> R:
    """The result of a call; raises TimeoutError after TIMEOUT_SECONDS. (Chroma's HTTP client waits forever.)"""
    pool = Pool(1, "chroma")
    result = pool.submit(work, *args, **kwargs)
    pool.close()
    return result.result(TIMEOUT_SECONDS)


class CollectionSpec(NamedTuple):
    """The contents of a collection: the passages of a bot (or corpus) whose documents have this digest."""

    bot: str
    digest: str
    embedder: Embedder
    passages: list[Passage]
    # for each passage the example questions of its section, which are embedded with it; () without any
    questions: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The collection's name."""
        model = Path(self.embedder.name).name.lower()
        plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in model)
        return f"kiku-{self.bot}-{plain[-40:].strip('-') or 'model'}-{CHUNKER}-{SCHEME}-{self.digest}"

    def records(self) -> list[Record]:
        """The texts to embed. With example questions there is one for each passage, with title, heading and questions
        first. Without any, passages are cut into pieces, each below its heading, since a model reads a long text less
        well."""
        if self.questions or not self.embedder.semantic:
            pairs = zip(self.passages, self.questions or [""] * len(self.passages), strict=True)
            return [Record(p.id, f"{p.title} / {p.heading}\n{asked}{p.text}", p) for p, asked in pairs]
        found: list[Record] = []
        for passage in self.passages:
            for number, piece in enumerate(pieces(passage.text)):
                text = f"{last_heading(passage.heading)}: {piece}"
                found.append(Record(f"{passage.id}{PIECE_MARK}{number}", text, passage))
        return found


class Record(NamedTuple):
    """A text to embed, and the passage that it belongs to."""

    id: str
    text: str
    passage: Passage


def pieces(text: str) -> list[str]:
    """A text cut between its sentences and lines into pieces of about MAX_PIECE_WORDS words."""
    found: list[str] = []
    length = 0
    for sentence in (one for line in text.splitlines() for one in sentences(line)):
        words = len(content_words(sentence))
        if found and length + words <= MAX_PIECE_WORDS:
            found[-1], length = f"{found[-1]} {sentence}", length + words
        else:
            found.append(sentence)
            length = words
    return found


class PassageCollection:
    """The collection of one bot. It gets its name once it is complete, even if several processes build it at the same
    time.

    On a server (`url`) it is opened again if another process has replaced it.
    """

    def __init__(self, client: Any, spec: CollectionSpec, url: str = "") -> None:
        self._client, self._spec, self._url = client, spec, url
        self._collection: Any = None

    def open(self, progress: Progress | None = None, rebuild: bool = False) -> None:
        """Open the collection, or build it if it is missing or broken; older ones of the same bot are dropped."""
        self._retry(lambda: self._open(progress, rebuild))

    @property
    def embedder(self) -> Embedder:
        """The embedder of its vectors."""
        return self._spec.embedder

    def nearest(self, query: str, count: int) -> dict[str, float]:
        """The passages, by id, of the records nearest to a text, each with the cosine of its nearest record."""
        row = self.embedder.encode([query])
        answer = self._retry(lambda: self._query(row, count))
        found: dict[str, float] = {}
        for record, distance in zip(answer["ids"][0], answer["distances"][0], strict=True):
            found.setdefault(record.partition(PIECE_MARK)[0], 1 - distance)
        return found

    def _retry(self, work: Callable[[], R]) -> R:
        if not self._url:
            with folder_errors():
                return work()

        def call() -> R:
            with _server_errors(self._url):
                return work()

        return retry_connection(call, ChromaUnavailable)

    def _call(self, work: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """One call of Chroma; on a server it has a time limit."""
        return call_with_timeout(work, *args, **kwargs) if self._url else work(*args, **kwargs)

    def _query(self, rows: Matrix, count: int) -> Any:
        try:
            return self._nearest(rows, count)
        except NotFoundError:  # another process has built it again
            self._open(None, False)
            return self._nearest(rows, count)

    def _nearest(self, rows: Matrix, count: int) -> Any:
        return self._call(self._collection.query, query_embeddings=rows, n_results=count, include=["distances"])

    def _open(self, progress: Progress | None, rebuild: bool) -> None:
        every = list(self._call(self._client.list_collections))
        there = next((item for item in every if item.name == self._spec.name), None)
        if there is not None and not rebuild and self._is_complete(there):
            self._collection = there
        else:
            earlier = None if rebuild else self._earlier([item for item in every if item is not there])
            self._collection = self._rebuild(there, earlier, progress)
        for item in self._outdated([item for item in every if item is not there and _is_of(item, self._spec.bot)]):
            self._drop(item.name)

    def _vectors(self, texts: Mapping[str, str], earlier: Any) -> dict[str, Any]:
        """The vectors of texts, by their digests; stored ones and those that the `earlier` collection has are copied."""
        found: dict[str, Any] = dict(stored_vectors(self._spec.embedder.name, texts))
        if earlier is not None and len(found) < len(texts):
            with suppress(ChromaError):  # another process has dropped it
                where = {"text": {"$in": list(texts)}}
                there = self._call(earlier.get, where=where, include=["embeddings", "metadatas"])
                found |= dict(zip((one["text"] for one in there["metadatas"]), there["embeddings"], strict=True))
        missing = {digest: text for digest, text in texts.items() if digest not in found}
        if missing:
            found |= zip(missing, self._spec.embedder.encode(list(missing.values())), strict=True)
        return found

    def _earlier(self, others: list[Any]) -> Any:
        """The newest other collection of the bot whose vectors are made in the same way; None without one."""
        same = [item for item in others if _is_of(item, self._spec.bot) and item.metadata.get("made") == self._made]
        return max(same, key=lambda item: item.metadata["built"], default=None)

    @property
    def _made(self) -> str:
        """How the vectors are made; vectors made differently cannot be compared."""
        return f"{self._spec.embedder.name} {SCHEME}"

    def _rebuild(self, broken: Any, earlier: Any, progress: Progress | None) -> Any:
        """A complete collection with the right name; if that fails, the incomplete one is dropped."""
        name = f"{self._spec.name}-{secrets.token_hex(4)}"
        try:
            built = self._build(name, earlier, progress)
            if broken is not None:
                self._drop(self._spec.name)
            return self._put(built)
        except Exception:
            with suppress(ChromaError, httpx.HTTPError, TimeoutError):
                self._drop(name)
            raise

    def _build(self, name: str, earlier: Any, progress: Progress | None) -> Any:
        """A collection with all passages, under a temporary name; texts in the `earlier` one keep their vectors."""
        embedder, records = self._spec.embedder, self._spec.records()
        metadata = {
            "bot": self._spec.bot,
            "model": embedder.name,
            "made": self._made,
            "chunker": CHUNKER,
            "passages": len(self._spec.passages),
            "records": len(records),
            "built": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        create = self._client.create_collection
        collection = self._call(create, name, metadata=metadata, configuration={"hnsw": EXACT_SEARCH})
        for start in range(0, len(records), BATCH_RECORDS):
            part = records[start : start + BATCH_RECORDS]
            digests = [sha256(record.text.encode()).hexdigest() for record in part]
            texts = {digest: record.text for digest, record in zip(digests, part, strict=True)}
            vectors = self._vectors(texts, earlier)
            of = [(record.passage, digest) for record, digest in zip(part, digests, strict=True)]
            self._call(
                collection.add,
                ids=[record.id for record in part],
                embeddings=np.stack([vectors[digest] for digest in digests]),
                documents=[p.text for p, _ in of],
                metadatas=[
                    {"document": p.document, "title": p.title, "heading": p.heading, "text": digest} for p, digest in of
                ],
            )
            if progress:
                progress(start + len(part), len(records))
        return collection

    def _put(self, built: Any) -> Any:
        """Give a collection its name; if another process was faster and its collection is complete, use that one."""
        name = self._spec.name
        for _ in range(MAX_RENAMES - 1):
            with suppress(ChromaError):  # the name is taken
                self._call(built.modify, name=name)
                return built
            with suppress(NotFoundError):  # and free again
                theirs = self._call(self._client.get_collection, name)
                if self._is_complete(theirs):
                    self._drop(built.name)
                    return theirs
                self._drop(name)
        self._call(built.modify, name=name)
        return built

    def _is_complete(self, collection: Any) -> bool:
        """Whether it has all passages and can be searched from this process."""
        built: Mapping[str, object] = collection.metadata or {}
        try:
            count = self._call(collection.count)
            if (built.get("passages"), built.get("records")) != (len(self._spec.passages), count):
                return False
            if not count or not self._spec.embedder.semantic:
                return True
            first = self._call(collection.get, limit=1, include=["embeddings"])
            return bool(self._call(collection.query, query_embeddings=first["embeddings"], n_results=1)["ids"][0])
        except NotFoundError:  # another process has dropped it
            return False

    def _outdated(self, others: list[Any]) -> list[Any]:
        """The collections to drop: in a folder all but the newest of the others, on a server those of MAX_AGE."""
        others.sort(key=lambda item: item.metadata["built"], reverse=True)
        if not self._url:
            return others[1:]
        return [item for item in others if datetime.fromisoformat(item.metadata["built"]) < datetime.now(UTC) - MAX_AGE]

    def _drop(self, name: str) -> None:
        with suppress(NotFoundError):  # another process has dropped it
            self._call(self._client.delete_collection, name)


@contextmanager
def _server_errors(url: str) -> Generator[None]:
    """Raises ChromaUnavailable, with what to do, if the server cannot be reached, refuses or does not answer."""
    try:
        yield
    except (httpx.HTTPError, ChromaError, TimeoutError) as error:
        raise _unavailable(url, error) from error


@contextmanager
def folder_errors() -> Generator[None]:
    """Raises BadInput, with what to do, if the index folder is full, read-only or damaged."""
    try:
        yield
    except (ChromaError, OSError, sqlite3.Error) as error:
        raise _unusable(error) from error


def _unusable(error: Exception) -> BadInput:
    detail = _detail(error)
    text = (
        f"The search index cannot be used ({detail}). Make room on the disk and the data folder writable; if that "
        "does not help, move its folder chroma away: it is built anew from the documents."
    )
    return BadInput(text, "index_unusable", detail=detail)


def _unavailable(url: str, error: Exception) -> ChromaUnavailable:
    detail = _detail(error)
    text = f"The Chroma server {url} cannot be used ({detail}). Start it, or correct KIKU_CHROMA_URL and KIKU_CHROMA_TOKEN."
    return ChromaUnavailable(text, "chroma_gone", address=url, detail=detail)


def _detail(error: Exception) -> str:
    """The error on one line."""
    return " ".join(str(error).split())[:MAX_DETAIL_CHARACTERS].rstrip(".") or type(error).__name__


def _is_of(item: Any, bot: str) -> bool:
    """Whether a collection was built for this bot."""
    known: dict[str, object] = item.metadata or {}
    return known.get("bot") == bot and "built" in known


@cache
def _client(folder: Path) -> Any:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Two processes cannot make its tables at the same time
        with FileLock(folder / "open.lock") if os.access(folder, os.W_OK) else nullcontext():
            return chromadb.PersistentClient(str(folder), settings=_quiet())
    except Exception as error:  # Chroma raises any error of its Rust core
        if (folder / "chroma.sqlite3").exists():
            raise _unusable(error) from error
        raise BadInput(
            f"The index folder {folder.name} cannot be used ({error}). Make the data folder writable or set KIKU_DATA_DIR.",
            "data_folder",
            folder=folder.name,
            detail=str(error),
        ) from error


@cache
def _server(url: str, token: str) -> Any:
    parts = urlsplit(url)
    safe = parts.scheme == "https"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    port = parts.port or (443 if safe else 80)
    return chromadb.HttpClient(parts.hostname or "", port, ssl=safe, headers=headers, settings=_quiet())


def _quiet() -> ChromaSettings:
    """Settings of a client's own: a client writes its address into them."""
    return ChromaSettings(anonymized_telemetry=False)
