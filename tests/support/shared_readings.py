"""Sudachi's results, kept over all tests, for a data folder of its own: reading a bot's documents takes seconds."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("KIKU_DATA_DIR", ""), "readings").absolute()  # of the tests, before one names its own


def share_readings(data: Path) -> Path:
    """The data folder, in which what was read once need not be read again."""
    SHARED.mkdir(parents=True, exist_ok=True)
    data.mkdir(parents=True, exist_ok=True)
    (data / "readings").symlink_to(SHARED, target_is_directory=True)
    return data
