"""Stores Sudachi's results for many texts: reading a bot's example questions takes most of its start."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.base.stored_results import stored_result

MIN_TEXTS = 100  # number of texts from which reading a file is faster
_READERS = ("SudachiPy", "SudachiDict-core")


def readings(texts: Sequence[str], read: Callable[..., Any], *options: str) -> list[Any]:
    """The results of a function of this package for each text, called with the text and the options; as JSON types (a
    tuple becomes a list).

    Computed again if a text, the package's code or its dictionary changed.
    """
    if len(texts) < MIN_TEXTS:
        return [read(text, *options) for text in texts]
    key = json.dumps([state_of_readers(), read.__name__, options, *texts])
    return stored_result(key, lambda: [read(text, *options) for text in texts], _save, _load)


def _save(found: list[Any], folder: Path) -> None:
    (folder / "readings.json").write_text(json.dumps(found, ensure_ascii=False), "utf-8")


def _load(folder: Path) -> list[Any]:
    return json.loads((folder / "readings.json").read_text("utf-8"))


@cache
def state_of_readers() -> str:
    """A digest of this package's code, and the versions of Sudachi and its dictionary."""
    code = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        code.update(file.read_bytes())
    return " ".join((code.hexdigest(), sys.version, *map(version, _READERS)))
