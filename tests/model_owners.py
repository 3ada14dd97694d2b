"""A data folder with a small bot, a server of the owner's and one of a visitor's; a plugin for the tests that name it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from core.base.settings import settings
from tests.model_pages import OWNERS, VISITORS
from tests.servers import ModelServer, serving
from tests.small import small_bot


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small bot and an empty data folder; whatever lives as long as a server is made anew."""
    small_bot(tmp_path / "knowledge")
    monkeypatch.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("KIKU_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KIKU_MODEL"):
        monkeypatch.delenv(name, raising=False)
    settings.cache_clear()
    st.cache_resource.clear()
    yield tmp_path
    st.cache_resource.clear()
    settings.cache_clear()


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
