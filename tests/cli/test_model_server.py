"""The command line with a model server: which engine replies, what is made again, and what a missing server means."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.base.settings import settings
from core.base.types import Bot
from core.llm.prices import Price, Prices, save_prices
from core.store.store import open_store
from tests.support.model_replies import Json, shape
from tests.support.model_server import ModelServer, serving
from tests.support.server_faults import most_retries

pytestmark = pytest.mark.usefixtures("short_waits")
CONVERSATION = [
    {"role": "user", "text": "経費"},
    {"role": "assistant", "text": "どの経費ですか"},
    {"role": "user", "text": "交通費"},
]
ROWS = {
    "assess": {"text": "休暇について"},
    "rewrite": {"messages": CONVERSATION},
    "judge": {"question": "期限は", "answer": "10日", "language": "ja"},
}


@pytest.fixture
def home(
    server: ModelServer, bot: Bot, tmp_path: Path, fresh_settings: pytest.MonkeyPatch
) -> Iterator[pytest.MonkeyPatch]:
    """The environment of an owner who has a model server, and the embedded engine as the default."""
    values = {"OPENAI_API_KEY": server.key, "OPENAI_BASE_URL": server.url, "KIKU_MODEL": "tiny", "KIKU_PATIENCE": "20"}
    for name, value in {**values, "KIKU_DATA_DIR": str(tmp_path), "KIKU_KNOWLEDGE_DIR": str(bot.folder.parent)}.items():
        fresh_settings.setenv(name, value)
    return fresh_settings


def files(command: str, folder: Path) -> list[str]:
    """The command, with a file of two rows to read and one to write."""
    rows = [{"id": number, **ROWS[command]} for number in (1, 2)]
    (folder / "in.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    named = [command, "turn"] if command == "judge" else [command]
    return [*named, "--in", str(folder / "in.jsonl"), "--out", str(folder / "out.jsonl")]


def written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]


class Meeting(ModelServer):
    """Replies only once two requests are there at the same time."""

    both = threading.Barrier(2, timeout=20)

    def next_script(self, body: Json) -> Any:
        """The text that was asked for, when another one is asked for as well."""
        if shape(body) == "check":
            return None
        self.both.wait()
        return "交通費" if "二通目" not in str(body["messages"]) else "宿泊費"


def test_rows_of_a_file_are_asked_for_at_once_and_stay_in_order(home: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = [
        {"id": 1, "messages": [*CONVERSATION, {"role": "user", "text": "二通目"}]},
        {"id": 2, "messages": CONVERSATION},
    ]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with serving(Meeting()) as server:
        home.setenv("OPENAI_API_KEY", server.key)
        home.setenv("OPENAI_BASE_URL", server.url)
        settings.cache_clear()
        names = ["--in", str(tmp_path / "in.jsonl"), "--out", str(tmp_path / "out.jsonl")]
        assert main(["rewrite", *names, "--engine", "openai"]) == 0
    assert [(row["id"], row["query"], row["error"]) for row in written(tmp_path)] == [
        (1, "宿泊費", ""),
        (2, "交通費", ""),
    ]


def test_the_command_line_prints_calls_tokens_and_cost(
    server: ModelServer, home: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["simulate", "--bot", "komachi", "--limit", "2", "--max-turns", "1", "--json", "--engine", "openai"]

    def printed(*options: str) -> dict[str, float]:
        settings.cache_clear()
        assert main([*command, *options]) == 0
        return json.loads(capsys.readouterr().out)

    first = printed()
    assert (
        first["calls"] == len(server.requests) > 4 and first["tokens"] == 110 * first["calls"] and first["cost"] is None
    )
    save_prices(Prices(models=(Price(pattern="*", input=1, output=1),)))
    assert (cached := printed())["calls"] == 0 and cached["cost"] == 0 and cached["score"] == first["score"]
    paid = printed("--no-cache", "--budget", "1")
    assert paid["calls"] == first["calls"] - 4 and paid["cost"] == pytest.approx(110e-6 * paid["calls"])
    settings.cache_clear()
    assert main([*command, "--no-cache", "--budget-calls", "4", "--concurrency", "1"]) == 3, (
        "a fragment without a bar is not fine"
    )
    output = capsys.readouterr()
    assert (
        "Stopped after 1 of 2 conversations. Resume it with: python -m core resume" in output.err
        and "budget of 4 calls" in output.err
    )
    home.delenv("OPENAI_API_KEY")
    home.delenv("OPENAI_BASE_URL")
    settings.cache_clear()
    assert main(command) == 2 and "OPENAI_API_KEY" in capsys.readouterr().err


@pytest.mark.usefixtures("home")
def test_ask_takes_the_engine_that_is_named(server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["ask", "交通費の精算の期限はいつですか", "--bot", "komachi", "--json"]
    assert main(command) == 0 and server.requests == []
    assert main([*command, "--engine", "openai"]) == 0
    made = len(server.requests)
    assert made > 4 and main([*command, "--engine", "openai"]) == 0 and len(server.requests) == made
    assert main([*command, "--engine", "openai", "--no-cache"]) == 0
    assert len(server.requests) == 2 * made - 4  # what the server can do is not found out again
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert printed[1] == printed[2] == printed[3] and printed[0]["assessment"] != printed[1]["assessment"]


@pytest.mark.parametrize("command", ROWS)
@pytest.mark.usefixtures("home")
def test_files_may_be_worked_through_by_a_model(command: str, server: ModelServer, tmp_path: Path) -> None:
    main(files(command, tmp_path))
    assert server.requests == [] and len(written(tmp_path)) >= 2
    assert main([*files(command, tmp_path), "--engine", "openai"]) == 0
    assert len(server.requests) == 4 + 1  # two equal rows are one call
    assert all(row["error"] == "" for row in written(tmp_path))
    assert main([*files(command, tmp_path), "--engine", "openai", "--no-cache"]) == 0
    assert len(server.requests) == 4 + 1 + 2


@pytest.mark.parametrize("command", ["ask", "assess", "rewrite"])
def test_a_server_that_is_not_there_is_reported_soon_and_in_one_line(
    command: str,
    server: ModelServer,
    home: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home.setattr("core.cli.options.INTERACTIVE_PATIENCE", 0.1)
    server.down()
    arguments = files(command, tmp_path) if command in ROWS else ["ask", "期限は", "--bot", "komachi"]
    assert main([*arguments, "--engine", "openai"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1 and "Is it running?" in printed.err
    assert not (tmp_path / "out.jsonl").exists()
    calls = open_store().calls.newest()
    assert 1 <= len(calls) <= 2  # rows of a file are asked for at once; the first to fail ends the command
    assert all(1 <= call.retries <= most_retries(0.1) for call in calls)


def test_a_reply_that_cannot_be_used_is_an_error_of_its_row(
    server: ModelServer, home: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home.setenv("KIKU_CONCURRENCY", "1")  # the first row gets the first reply
    settings.cache_clear()
    arguments = [*files("assess", tmp_path), "--engine", "openai"]
    assert main(arguments) == 0
    server.script = ["no idea"] * 4
    assert main([*arguments, "--no-cache"]) == 0
    first, second = written(tmp_path)
    assert "no JSON object" in first["error"] and first["assessment"] is None and second["error"] == ""
