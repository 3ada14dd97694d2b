"""A data folder with a small bot, a server of the owner's and one of a visitor's; a plugin for the tests that name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.settings import settings
from tests.support.model_server import ModelServer, serving
from tests.support.models_page import OWNERS, VISITORS


@pytest.fixture
def owners(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """The owner's server, set up in the environment, but not as what speaks."""
    with serving(ModelServer(key=OWNERS)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", OWNERS)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("KIKU_MODEL", "owners-model")
        settings.cache_clear()
        yield server


@pytest.fixture
def visitors() -> Iterator[ModelServer]:
    """A visitor's server, which takes the visitor's key only."""
    with serving(ModelServer(key=VISITORS)) as server:
        yield server
