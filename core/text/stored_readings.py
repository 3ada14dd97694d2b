"""What Sudachi reads in many texts, stored in the data folder: to read a bot's example questions again takes most of its
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

# Texts from which it is faster to read a file.
MIN_TEXTS = 100
# Files that are kept; those written first go.
MAX_FILES = 50
_READERS = ("SudachiPy", "SudachiDict-core")


def readings(texts: Sequence[str], read: Callable[..., Any], *options: str) -> list[Any]:
    """What a function of this package reads in each text, called with the text and the options; in JSON's types (a
    tuple comes as a list).

    They are read again if a text, the package's code or its dictionary changed. A folder that cannot be written only
    costs time.
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
    """A digest of this package's code, and the versions of what it reads with."""
    code = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        code.update(file.read_bytes())
    return " ".join((code.hexdigest(), sys.version, *map(version, _READERS)))
