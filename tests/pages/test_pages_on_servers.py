"""The pages where results and indexes are on servers: what they show of them, and what they say when one is away."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.base.settings import settings
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import open_store
from pages.i18n.translate import words
from tests.support.chroma_server import ChromaServer
from tests.support.loopback import free_port
from tests.support.page_app import PAGES, healthy, opened
from tests.support.postgres_server import QUOTED
from tests.support.small_bot import a_turn

pytestmark = pytest.mark.usefixtures("folder")


def set_environment(monkeypatch: pytest.MonkeyPatch, **values: str) -> None:
    """Settings from the environment."""
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_settings_page_shows_where_things_are_but_no_password(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    both = words()["servers.file"][language], words()["servers.folder"][language]
    app = healthy(opened("settings/settings", language))
    assert all(any(text in one.value for one in app.markdown) for text in both)
    url = f"postgresql://kiku:{QUOTED}@127.0.0.1:{free_port()}/kiku"
    set_environment(
        monkeypatch, KIKU_DATABASE_URL=url, KIKU_CHROMA_URL="http://127.0.0.1:9", KIKU_CHROMA_TOKEN="hush-token"
    )
    app = opened("settings/settings", language)
    assert not app.exception
    shown_text = "\n".join(one.value for one in app.markdown).replace("\\", "").replace("*", "")  # as it is drawn
    assert (
        "postgresql://kiku:@127.0.0.1:" in shown_text
        and "http://127.0.0.1:9" in shown_text
        and not any(text in shown_text for text in both)
    )
    assert QUOTED not in shown_text and "hush-token" not in shown_text


@pytest.mark.parametrize("page", PAGES)
def test_a_page_without_its_database_says_so_in_one_sentence(monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    set_environment(monkeypatch, KIKU_DATABASE_URL=f"postgresql://kiku:{QUOTED}@127.0.0.1:{free_port()}/kiku")
    app = opened(page, bot="komachi")
    assert not app.exception
    shown_text = [error.value for error in app.error]
    assert not any(QUOTED in one for one in shown_text)
    if page in ("talk/chat", "simulate/run", "results/scores", "results/transcripts"):
        assert any("PostgreSQL" in one and "接続できません" in one for one in shown_text), shown_text


def test_an_address_that_cannot_be_used_is_reported_on_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, KIKU_DATABASE_URL="mysql://kiku:hush@host/db")
    for page in ("home/home", "talk/chat", "settings/settings"):
        app = opened(page)
        assert not app.exception
        shown_text = [error.value for error in app.error]
        assert any("KIKU" in one and "DATABASE" in one for one in shown_text) and not any(
            "hush" in one for one in shown_text
        ), page


def test_results_and_indexes_on_real_servers(
    monkeypatch: pytest.MonkeyPatch,
    postgres_url: str,
    chroma: ChromaServer,
    folder: Path,
) -> None:
    shutil.rmtree(folder / "data")
    set_environment(monkeypatch, KIKU_DATABASE_URL=postgres_url, KIKU_CHROMA_URL=chroma.url)
    for page in ("talk/chat", "results/scores", "build/documents"):
        healthy(opened(page, bot="komachi"))
    assert not (folder / "data" / "kiku.db").exists()
    assert not (folder / "data" / "chroma" / "chroma.sqlite3").exists()


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_pages_with_results_open_on_postgresql_whatever_was_said(
    monkeypatch: pytest.MonkeyPatch, postgres_url: str, language: str
) -> None:
    set_environment(monkeypatch, KIKU_DATABASE_URL=postgres_url)
    store = open_store()
    runner = Runner(store, Indexes(), EmbeddedEngine())
    try:
        run_id = runner.start(Plan(bot="komachi", limit=4, seed=1))
        assert runner.wait(run_id, 120)
    finally:
        runner.close()
    store.runs.reopen(run_id, "me")
    conversation = store.conversations.of_run(run_id)[0].id
    store.conversations.add_turn(conversation, 9, a_turn("a\0b </script>", "\0 \U0010fffd"))
    store.runs.finish(run_id, "done")
    for page in (page for page in PAGES if page.startswith(("talk/", "simulate/run", "results/", "settings/calls"))):
        healthy(opened(page, language, bot="komachi", run=run_id))
