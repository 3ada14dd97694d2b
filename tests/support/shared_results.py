"""What was prepared, kept over all tests, for a data folder of its own: reading a bot's documents takes seconds."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

SHARED = Path(os.environ.get("KIKU_DATA_DIR", ""), "prepared").absolute()  # of the tests, before one names its own


def share_results(data: Path) -> Path:
    """The data folder, in which what was prepared once need not be prepared again."""
    SHARED.mkdir(parents=True, exist_ok=True)
    data.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):  # a thread that outlived its test has written there already
        (data / "prepared").symlink_to(SHARED, target_is_directory=True)
    return data
