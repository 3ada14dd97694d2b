"""Cuts long sequences into parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def chunks(rows: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The rows in order, at most `size` at a time."""
    return (rows[start : start + size] for start in range(0, len(rows), size))
