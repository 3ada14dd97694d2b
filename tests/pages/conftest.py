"""What tests of pages share: the database that the pages use."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.store.store import Store, open_store


@pytest.fixture
def store(folder: Path) -> Store:
    """The database that the pages use, in a data folder of its own."""
    return open_store()
