"""Japanese word vectors: chiVe (Apache-2.0), as the package ja-ginza ships them; nothing else of that package is
used."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.base.cached_method import cached_method

Vector = NDArray[np.float32]
DIMENSION = 300
_MASK, _MIX, _SEED = 0xFFFFFFFFFFFFFFFF, 0xC6A4A7935BD1E995, 1


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The vectors of chiVe, read from their file: 480,443 Japanese words, found by a hash, share 20,000 vectors."""

    hashes: NDArray[np.uint64]  # of the words, sorted
    rows: NDArray[np.uint16]  # of each hash
    vectors: Vector  # shape (20000, 300)

    def row(self, word: str) -> int | None:
        """The row of a word's vector; None without one."""
        key = np.uint64(word_hash(word))
        place = int(np.searchsorted(self.hashes, key))
        return None if place == len(self.hashes) or self.hashes[place] != key else int(self.rows[place])

    def row_of(self, *forms: str) -> int | None:
        """The row of the first form of a word that has a vector; None if no form has one."""
        return next((row for form in forms if (row := self.row(form)) is not None), None)

    @cached_method(20_000)
    def vector(self, word: str) -> Vector | None:
        """The unit vector of a word, shape (300,); None without one."""
        row = self.row(word)
        if row is None:
            return None
        found = np.asarray(self.vectors[row], dtype=np.float32)
        length = float(np.linalg.norm(found))
        return found / np.float32(length) if length else None

    def unit_rows(self, rows: Sequence[int]) -> Vector:
        """The vectors of some rows with length 1 (0 if a row is empty), shape (rows, 300)."""
        found = np.asarray(self.vectors[np.asarray(rows, dtype=np.int64)], dtype=np.float32).reshape(-1, DIMENSION)
        return unit_vectors(found)

    def matrix(self, words: Iterable[str]) -> tuple[dict[str, int], Vector]:
        """(index of each word that has a vector, the unit vectors in this order, shape (words, 300))."""
        listed = sorted(words)
        keys = np.array([word_hash(word) for word in listed], dtype=np.uint64)
        places = np.minimum(np.searchsorted(self.hashes, keys), len(self.hashes) - 1)
        known = np.flatnonzero(self.hashes[places] == keys)
        names = [listed[place] for place in known.tolist()]
        return {word: place for place, word in enumerate(names)}, self.unit_rows(self.rows[places[known]].tolist())


def unit_vectors(vectors: Vector) -> Vector:
    """The vectors in the last dimension of an array with length 1; empty ones stay empty."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


@cache
def word_vectors() -> WordVectors | None:
    """The vectors, read from the installed package; None if it is missing."""
    spec = find_spec("ja_ginza")
    if spec is None or spec.origin is None:
        return None
    folder = next(Path(spec.origin).parent.glob("ja_ginza-*/vocab"), None)
    return read_word_vectors(folder) if folder and (folder / "vectors").is_file() else None


def word_vector(word: str) -> Vector | None:
    """The unit vector of a word, shape (300,); None without one, and if the vectors are missing."""
    vectors = word_vectors()
    return vectors.vector(word) if vectors else None


def read_word_vectors(folder: Path) -> WordVectors:
    """The vectors in spaCy's files `key2row` (MessagePack) and `vectors` (npy)."""
    hashes, rows = _read_table((folder / "key2row").read_bytes())
    order = np.argsort(hashes)
    return WordVectors(hashes[order], rows[order], np.load(folder / "vectors", mmap_mode="r"))


def _read_table(data: bytes) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
    """(hashes, rows) of spaCy's key2row: one MessagePack map from 64-bit integers (0xcf) to small ones."""
    count, at = struct.unpack_from(">I", data, 1)[0], 5
    hashes, rows = np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.uint16)
    place = 0
    while place < count:
        alike = _alike(data, at)
        hashes[place : place + len(alike)] = alike["hash"]
        rows[place : place + len(alike)] = alike["row"]
        place, at = place + len(alike), at + alike.nbytes
        if place < count:
            hashes[place], at = _integer(data, at)
            rows[place], at = _integer(data, at)
            place += 1
    return hashes, rows


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """The integer at a place, and the place after it."""
    size = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}.get(data[at], 0)
    return (int.from_bytes(data[at + 1 : at + 1 + size], "big") if size else data[at]), at + 1 + size


_ENTRY = np.dtype([("key", "u1"), ("hash", ">u8"), ("kind", "u1"), ("row", ">u2")])


def _alike(data: bytes, at: int) -> NDArray[np.void]:
    """The entries from a place on that take twelve bytes: a hash, and a row from 256 upwards (0xcd)."""
    window = 64
    while True:
        found = np.frombuffer(data, _ENTRY, min(window, (len(data) - at) // _ENTRY.itemsize), at)
        other = np.flatnonzero((found["key"] != 0xCF) | (found["kind"] != 0xCD))
        if len(other) or len(found) < window:
            return found[: int(other[0])] if len(other) else found
        window *= 16


@lru_cache(maxsize=50_000)
def word_hash(word: str) -> int:
    """The 64-bit MurmurHash2 of a word, by which spaCy stores words."""
    data = word.encode()
    value = _SEED ^ (len(data) * _MIX & _MASK)
    whole = len(data) // 8 * 8
    for (part,) in struct.iter_unpack("<Q", data[:whole]):
        part = part * _MIX & _MASK
        part = (part ^ part >> 47) * _MIX & _MASK
        value = (value ^ part) * _MIX & _MASK
    if rest := data[whole:]:
        value = (value ^ int.from_bytes(rest, "little")) * _MIX & _MASK
    value = (value ^ value >> 47) * _MIX & _MASK
    return value ^ value >> 47
