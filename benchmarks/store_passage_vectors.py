"""Write core/retrieval/passage_vectors.npz: the vectors of the included bots' passages, and the seconds that they save.

    python -m benchmarks.store_passage_vectors

To be run after the documents or example questions of a bot with English documents were changed, or the search adapter. A test
tells so: what was changed is embedded at the first question, as for any bot.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.command_line import argument_parser
from core.base.bot_folder import load_bot
from core.retrieval.chroma import chroma_client
from core.retrieval.index_cache import Indexes
from core.retrieval.stored_vectors import STORED, store_vectors

BOTS = ("harbor",)  # the others' documents are in languages without a model


def main() -> None:
    argument_parser(__doc__).parse_args()
    STORED.unlink(missing_ok=True)
    before = _built()
    made = {name for name, _ in before}
    assert len(made) == 1, f"vectors of several embedders cannot be stored together: {made}"
    store_vectors(made.pop(), {digest: vector for _, found in before for digest, vector in found.items()})
    _built()
    print(f"{sum(len(found) for _, found in before)} vectors, {STORED.stat().st_size:,} bytes")


def _built() -> list[tuple[str, dict[str, Any]]]:
    """For each bot the name of the embedder, and the vectors of a new index by the digests of their texts."""
    found: list[tuple[str, dict[str, Any]]] = []
    for name in BOTS:
        with TemporaryDirectory() as folder:
            started = time.perf_counter()
            Indexes(Path(folder)).get(load_bot(name))
            print(f"{name}: an index in {time.perf_counter() - started:.1f} s", flush=True)
            (collection,) = chroma_client(Path(folder)).list_collections()
            rows = collection.get(include=["embeddings", "metadatas"])
            digests = [one["text"] for one in rows["metadatas"]]
            found.append((collection.metadata["model"], dict(zip(digests, rows["embeddings"], strict=True))))
    return found


if __name__ == "__main__":
    main()
