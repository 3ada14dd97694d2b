"""Stores Sudachi's results for many texts in the data folder: reading a bot's example questions takes most of its
start."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from core.base.errors import BadInput
from core.base.files import write_text
from core.base.settings import settings

MIN_TEXTS = 100  # number of texts from which reading a file is faster
MAX_FILES = 50  # number of stored files; the oldest are removed
_READERS = ("SudachiPy", "SudachiDict-core")


def readings(texts: Sequence[str], read: Callable[..., Any], *options: str) -> list[Any]:
    """The results of a function of this package for each text, called with the text and the options; as JSON types (a
    tuple becomes a list).

    Computed again if a text, the package's code or its dictionary changed. If the folder cannot be written, the results
    are not stored.
    """
    if len(texts) < MIN_TEXTS:
        return [read(text, *options) for text in texts]
    key = json.dumps([_state_of_readers(), read.__name__, options, *texts])
    file = settings().data_dir / "readings" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
    with suppress(OSError, ValueError):
        return json.loads(file.read_text("utf-8"))
    found = [read(text, *options) for text in texts]
    with suppress(BadInput, OSError):
        write_text(file, json.dumps(found, ensure_ascii=False))
        for old in sorted(file.parent.glob("*.json"), key=lambda each: each.stat().st_mtime)[:-MAX_FILES]:
            old.unlink(missing_ok=True)
    return found


@cache
def _state_of_readers() -> str:
    """A digest of this package's code, and the versions of Sudachi and its dictionary."""
    code = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        code.update(file.read_bytes())
    return " ".join((code.hexdigest(), sys.version, *map(version, _READERS)))
