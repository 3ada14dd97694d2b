"""Indexes on a real Chroma server: several processes build, search and replace them at once."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from chromadb import Collection
from chromadb.errors import NotFoundError

from core.base.errors import BadInput
from core.base.retry import long_retries
from core.base.settings import ROOT, settings
from core.base.types import Bot
from core.retrieval.chroma import MAX_RENAMES, chroma_server
from core.retrieval.embedders import HashedTerms
from core.retrieval.index_cache import Indexes
from tests.support.chroma_server import ChromaServer
from tests.support.loopback import free_port
from tests.support.small_bot import small_bot

SPACES = count(1)
ENGLISH = """# Leave
## Days
After six months you have ten days of annual leave.
## Asking for it
Ask for leave three days before, in the attendance system.
"""
BUILD = (
    "import sys; from pathlib import Path; from core.base.bot_folder import load_bot; from core.retrieval.index_cache import Indexes\n"
    "bot = load_bot(sys.argv[1], Path(sys.argv[2])); indexes = Indexes()\n"
    "index = [indexes.get(bot, rebuild=True) for _ in range(5)][-1]\n"
    "print(index.search('年次有給休暇の日数', 1)[0].passage.heading)\n"
)


class Quick(HashedTerms):
    """Shared words in place of a model, and Chroma is asked for them."""

    semantic = True


@pytest.fixture
def bot(tmp_path: Path, request: pytest.FixtureRequest) -> Bot:
    """A bot in English, of another id in each test, since the server is shared."""
    made = small_bot(tmp_path / "knowledge")
    for file in (made.folder / "documents").iterdir():
        file.unlink()
    (made.folder / "documents" / "leave.md").write_text(ENGLISH, "utf-8")
    return made.model_copy(update={"id": f"komachi-{abs(hash(request.node.name)) % 10**8}"})


@pytest.fixture
def client(chroma: ChromaServer, fresh_settings: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The server, named in the settings, and an embedder that is quick to load."""
    fresh_settings.setattr("core.retrieval.index_cache.search_embedder", lambda script: Quick())
    fresh_settings.setenv("KIKU_CHROMA_URL", chroma.url)
    fresh_settings.setenv("KIKU_DATA_DIR", str(tmp_path / "data"))
    return chroma_server(settings().chroma_url)


def of(client: Any, bot: Bot) -> list[Any]:
    """The bot's collections."""
    return [item for item in client.list_collections() if (item.metadata or {}).get("bot") == bot.id]


def heading(index: Any) -> tuple[str, float]:
    """What is found first, and how near Chroma says it is."""
    apart = " " * next(SPACES)  # the same question in other letters, so that no cache answers it
    (hit,) = index.search(f"How many days of annual{apart}leave do I have?", 1)
    return hit.passage.heading, hit.vector


def test_an_index_on_a_server_is_built_once_and_searched_like_one_in_a_folder(
    client: Any, bot: Bot, tmp_path: Path
) -> None:
    here, there = Indexes(tmp_path / "chroma").get(bot), Indexes().get(bot)
    assert heading(there) == heading(here) and heading(there)[1] > 0
    seen: list[int] = []
    Indexes().get(bot, lambda done, total: seen.append(done))
    assert seen == [] and len(of(client, bot)) == 1
    assert not (tmp_path / "data" / "chroma" / "chroma.sqlite3").exists()


def test_an_index_that_another_process_replaced_or_dropped_is_opened_again(client: Any, bot: Bot) -> None:
    index = Indexes().get(bot)
    before = heading(index)
    Indexes().get(bot, rebuild=True)
    assert heading(index) == before and len(of(client, bot)) == 1
    client.delete_collection(of(client, bot)[0].name)
    assert heading(index) == before and len(of(client, bot)) == 1


def test_processes_that_build_one_index_at_once_end_with_one_whole_collection(
    client: Any, chroma: ChromaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "core.retrieval.index_cache.search_embedder", lambda script: HashedTerms()
    )  # as those processes have it
    bot = small_bot(tmp_path / "all")
    command = [sys.executable, "-c", BUILD, "komachi", str(tmp_path / "all")]
    each = [{"KIKU_CHROMA_URL": chroma.url, "KIKU_DATA_DIR": str(tmp_path / name)} for name in ("one", "two")]
    # folders of their own: no file lock keeps them apart, as on two machines
    with ThreadPoolExecutor(2) as both:
        done = list(both.map(lambda environment: run(command, environment), each))
    assert [one.returncode for one in done] == [0, 0], [one.stderr[-4000:] for one in done]
    assert {one.stdout.strip() for one in done} == {"日数"}
    (left,) = of(client, bot)
    assert left.count() == left.metadata["passages"] == len(Indexes().get(bot).passages)


class Unlucky(Quick):
    """Another process drops the collection while its first passages are encoded."""

    def __init__(self, client: Any) -> None:
        self.client, self.done = client, False

    def encode(self, texts: list[str]) -> Any:
        if not self.done:
            self.done = True
            for item in self.client.list_collections():
                self.client.delete_collection(item.name)
        return super().encode(texts)


def test_a_build_that_fails_and_is_begun_again_leaves_nothing_half_made(
    client: Any, bot: Bot, fresh_settings: pytest.MonkeyPatch
) -> None:
    embedder = Unlucky(client)
    fresh_settings.setattr("core.retrieval.index_cache.search_embedder", lambda script: embedder)
    with long_retries():  # as a run is
        index = Indexes().get(bot)
    assert embedder.done and heading(index)[0] == "Days"
    (left,) = of(client, bot)
    assert left.count() == len(index.passages)


def test_a_build_that_loses_its_name_to_another_leaves_nothing_half_made(
    client: Any, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename, lost = Collection.modify, []

    def late(self: Collection, **changes: Any) -> None:
        if len(lost) == MAX_RENAMES:
            return rename(self, **changes)
        lost.append(self.name)
        raise NotFoundError("the other's collection is gone again")

    monkeypatch.setattr(Collection, "modify", late)
    with long_retries():
        index = Indexes().get(bot)
    assert heading(index)[0] == "Days" and len(set(lost)) == 1 and len(of(client, bot)) == 1


def run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env={**os.environ, **environment}, cwd=ROOT, capture_output=True, text=True, timeout=120
    )


def test_what_others_still_search_stays_and_what_is_old_goes(client: Any, bot: Bot) -> None:
    first = Indexes().get(bot)
    before = heading(first)
    (bot.folder / "documents" / "leave.md").write_text(ENGLISH.replace("ten", "twelve"), "utf-8")
    second = Indexes().get(bot)
    assert len(of(client, bot)) == 2 and heading(first) == before and heading(second)[0] == "Days"
    long_ago = (datetime.now(UTC) - timedelta(days=30)).isoformat()
    for item in of(client, bot):
        item.modify(metadata={**item.metadata, "built": long_ago})
    Indexes().get(bot)
    (left,) = of(client, bot)
    assert left.name.endswith(second.digest) and first.digest != second.digest


def test_a_bot_whose_name_begins_like_anothers_keeps_its_index(client: Any, bot: Bot) -> None:
    longer = bot.model_copy(update={"id": f"{bot.id}-two"})
    Indexes().get(longer)
    for text in ("ten", "eleven", "twelve"):
        (bot.folder / "documents" / "leave.md").write_text(ENGLISH.replace("ten", text), "utf-8")
        Indexes().get(bot)
    assert len(of(client, longer)) == 1


def test_a_search_outlives_a_restart_of_the_server(client: Any, bot: Bot, chroma: ChromaServer) -> None:
    index = Indexes().get(bot)
    before = heading(index)
    chroma.down()

    def ask() -> tuple[str, float]:
        with long_retries():  # as a run is
            return heading(index)

    with ThreadPoolExecutor(1) as other:
        asked = other.submit(ask)
        chroma.up()
        assert asked.result(120) == before


def test_a_server_that_is_not_there_is_reported_in_one_sentence(
    bot: Bot, fresh_settings: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fresh_settings.setenv("KIKU_CHROMA_URL", f"http://127.0.0.1:{free_port()}")
    fresh_settings.setenv("KIKU_CHROMA_TOKEN", "secret-token")
    with pytest.raises(BadInput) as error:
        Indexes().get(bot)
    assert error.value.key == "chroma_gone" and "KIKU_CHROMA_URL" in str(error.value)
    assert "\n" not in str(error.value) and "secret-token" not in f"{error.value} {error.value.details} {settings()!r}"
