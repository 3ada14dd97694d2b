"""Stores what takes long to compute in the data folder, so that the next start is faster."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar
from zipfile import BadZipFile

from core.base.settings import settings

MAX_RESULTS = 300  # number of stored results; the oldest are removed
MAX_SECONDS = 3_600.0  # that storing a result may take
UNREADABLE = (OSError, ValueError, KeyError, EOFError, BadZipFile)  # errors of a missing or damaged file
T = TypeVar("T")


def stored_result(
    key: str, compute: Callable[[], T], save: Callable[[T, Path], object], load: Callable[[Path], T]
) -> T:
    """The result that is stored under a key, else that of `compute`, which is stored.

    `save` writes a result into an empty folder, and `load` reads it. If that fails as for a damaged file (UNREADABLE), the
    result is computed anew; if it cannot be written (OSError), it is not stored.

    key: all that the result depends on, and the code if it may change
    """
    folder = settings().data_dir / "prepared" / hashlib.sha256(key.encode()).hexdigest()[:32]
    with suppress(*UNREADABLE):
        return load(folder)
    result = compute()
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as temporary:
            new = Path(temporary, "new")
            new.mkdir()
            save(result, new)
            shutil.rmtree(folder, ignore_errors=True)
            os.replace(new, folder)
        _remove_oldest(folder.parent)
    return result


def _remove_oldest(parent: Path) -> None:
    """Remove all but the newest results, and what a process left that was killed while it stored one."""
    changed = {each: each.stat().st_mtime for each in parent.iterdir()}
    stored = [each for each in changed if not each.name.startswith(".")]
    unfinished = [each for each in changed if each.name.startswith(".") and time.time() - changed[each] > MAX_SECONDS]
    for old in [*sorted(stored, key=lambda each: changed[each])[:-MAX_RESULTS], *unfinished]:
        shutil.rmtree(old, ignore_errors=True)
