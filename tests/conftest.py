"""What all tests share: a data folder of their own, and indexes that are built once."""

import os
import tempfile
from collections.abc import Iterator

os.environ["KIKU_DATA_DIR"] = tempfile.mkdtemp(prefix="kiku-tests-")
for name in ("KIKU_ENGINE", "KIKU_KNOWLEDGE_DIR", "KIKU_LANGUAGE", "KIKU_CONCURRENCY", "KIKU_EMBEDDING_MODEL"):
    os.environ.pop(name, None)

import pytest  # noqa: E402

from core.base.settings import settings  # noqa: E402
from core.retrieve.index import Indexes  # noqa: E402


@pytest.fixture(scope="session")
def indexes() -> Indexes:
    """The indexes of the bundled bots."""
    return Indexes()


@pytest.fixture
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Set KIKU_ variables with this; the settings are read again before and after."""
    settings.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    settings.cache_clear()
