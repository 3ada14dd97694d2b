"""Vectors of the included English bot's passages, so that its first question need not wait for the model to embed them.

Made by benchmarks/store_passage_vectors.py; a passage that was changed is embedded anew.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STORED = Path(__file__).with_name("passage_vectors.npz")
Vector = NDArray[np.float32]


def stored_vectors(embedder: str, digests: Collection[str]) -> dict[str, Vector]:
    """The stored vectors, shape (dimension,), of the texts with these digests (SHA-256, hexadecimal) that an embedder of
    this name made."""
    found = _vectors_of(embedder)
    return {digest: found[digest] for digest in digests if digest in found}


def store_vectors(embedder: str, vectors: dict[str, Vector]) -> None:
    """Write the file anew: the vectors of one embedder by the digests of their texts."""
    digests = sorted(vectors)
    rows = np.stack([vectors[digest] for digest in digests]).astype(np.float32)
    np.savez(STORED, embedder=np.array(embedder), digests=np.array(digests, "S"), vectors=rows)
    _vectors_of.cache_clear()


@cache
def _vectors_of(embedder: str) -> dict[str, Vector]:
    if not STORED.is_file():
        return {}
    with np.load(STORED) as stored:
        if str(stored["embedder"]) != embedder:
            return {}
        return dict(zip(stored["digests"].astype(str).tolist(), stored["vectors"], strict=True))
