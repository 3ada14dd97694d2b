"""Collections in Chroma: one client for each folder, one collection for each state of a bot's documents."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings as ChromaSettings

from core.base.errors import BadInput
from core.base.types import Passage
from core.base.vectors import Embedder
from core.retrieve.passages import CHUNKER

Progress = Callable[[int, int], None]
BATCH = 256  # Chroma takes at most 5,461 rows a call; small batches keep the progress bar moving
BUILT = "x1"  # part of a collection's name: another value builds all again
# Chroma's graph, built by one thread and searched widely enough to be exact for some ten thousand passages
EXACT = {"space": "cosine", "ef_construction": 400, "ef_search": 400, "max_neighbors": 32, "num_threads": 1}
_OPENING = threading.Lock()


def chroma_client(folder: Path) -> Any:
    """The process's one client for a folder (Chroma breaks when one path is opened twice at a time)."""
    with _OPENING:
        return _client(folder)


@cache
def _client(folder: Path) -> Any:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return chromadb.PersistentClient(str(folder), settings=ChromaSettings(anonymized_telemetry=False))
    except Exception as error:  # Chroma raises whatever its Rust core gives
        raise BadInput(
            f"The index folder {folder.name} cannot be used ({error}). Make the data folder writable or set KIKU_DATA_DIR.",
            "data_folder",
            folder=folder.name,
            detail=str(error),
        ) from error


def collection_of(
    client: Any,
    name: str,
    mark: str,
    embedder: Embedder,
    found: list[Passage],
    progress: Progress | None,
    rebuild: bool,
) -> Any:
    """The collection holding exactly these passages, made when missing; older ones of the same name are dropped."""
    prefix = f"kiku-{name}-"
    wanted = f"{prefix}{_short(embedder.name, mark)}"
    existing = [item.name for item in client.list_collections() if item.name.startswith(prefix)]
    if wanted in existing and not rebuild:
        collection = client.get_collection(wanted)
        if _answers(collection, embedder, found):
            return collection
    for old in existing:
        if old == wanted or len(existing) > 1:
            client.delete_collection(old)
    return _build(client, wanted, embedder, found, progress)


def _build(
    client: Any,
    name: str,
    embedder: Embedder,
    found: list[Passage],
    progress: Progress | None,
) -> Any:
    metadata = {"model": embedder.name, "chunker": CHUNKER, "passages": len(found)}
    collection = client.create_collection(name, metadata=metadata, configuration={"hnsw": EXACT})
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


def _answers(collection: Any, embedder: Embedder, found: list[Passage]) -> bool:
    """Whether the collection is whole and can be searched from this process (another may have written it meanwhile)."""
    if collection.count() != len(found):
        return False
    if not found or not embedder.semantic:
        return True
    first = collection.get(ids=[found[0].id], include=["embeddings"])
    if not first["ids"]:
        return False
    return bool(collection.query(query_embeddings=first["embeddings"], n_results=1)["ids"][0])


def _short(model: str, mark: str) -> str:
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in Path(model).name.lower())
    return f"{plain[-40:].strip('-') or 'model'}-{CHUNKER}-{BUILT}-{mark}"
