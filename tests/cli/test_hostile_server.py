"""Commands on a model server that gives anything but replies: they end soon, with a sentence that a terminal can show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.base.settings import settings
from tests.support.model_replies import Json, shape
from tests.support.model_server import Fault, ModelServer, choose_server, serving
from tests.support.server_faults import ERRORS

pytestmark = pytest.mark.usefixtures("short_waits")
FAULTS = {fault.name: fault for fault in ERRORS}
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31mno\u202e such model\r\n\x1b[31mat all"


class Babbling(ModelServer):
    """A model that gives the form of a probe, and of nothing else."""

    def next_script(self, body: Json) -> Any:
        """Prose, with what a terminal would take for a command."""
        return None if shape(body) == "check" else f"no idea {ESCAPES}"


@pytest.fixture
def commands(home: Path, fresh_settings: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Commands that ask a model again and again."""
    fresh_settings.setenv("KIKU_PATIENCE", "0.3")
    rows = [
        {"id": n, "question": f"期限は {n}", "answer": "10日です。", "label": "YN"[n % 2], "reference": "10日"}
        for n in range(12)
    ]
    (home / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return {
        "simulate": ["simulate", "--bot", "komachi", "--limit", "1", "--max-turns", "1"],
        "generate": ["generate", "--bot", "komachi", "--out", str(home / "q.jsonl")],
        "seed": ["generate", "--seed-documents", "core/datasets/examples/ja", "--out", str(home / "set")],
        "examples": ["examples", "--bot", "komachi"],
        "optimize": ["optimize", "judges/relevance", "--bot", "komachi", "--labels", str(home / "labels.jsonl")],
    }


def sentences_of(command: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines on standard error, none of which holds a control character."""
    settings.cache_clear()
    assert main(command) == code
    printed = capsys.readouterr()
    assert (printed.out + printed.err).replace("\n", "").isprintable(), ascii(printed)
    return printed.err.splitlines()


@pytest.mark.parametrize("name", ["HTML page as success", "truncated body", "500", "cut connection"])
def test_a_server_that_never_replies_is_reported_in_one_sentence(
    name: str, commands: dict[str, list[str]], fresh_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(ModelServer(faults=[FAULTS[name]], share=1)) as server:
        choose_server(server, fresh_settings)
        for command, arguments in commands.items():
            lines = sentences_of(arguments, 3 if command == "simulate" else 2, capsys)
            assert "gave no proper reply" in lines[0] and len(lines) == (2 if command == "simulate" else 1), lines
            assert command != "simulate" or lines[0].startswith("1 conversation failed: ")


@pytest.mark.parametrize("status", [400, 401, 500])
def test_control_characters_of_an_error_do_not_reach_the_terminal(
    status: int, commands: dict[str, list[str]], fresh_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = Fault("error", lambda handler, body, text: handler.send(status, {"error": {"message": ESCAPES}}))
    with serving(ModelServer(faults=[error], share=1)) as server:
        choose_server(server, fresh_settings)
        assert "no such model" in sentences_of(commands["generate"], 2, capsys)[0]
        assert "no such model" in sentences_of(commands["simulate"], 3, capsys)[0]


def test_a_model_that_gives_nothing_usable_is_not_asked_on_and_on(
    commands: dict[str, list[str]], fresh_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Babbling()) as server:
        choose_server(server, fresh_settings)
        for name in ("generate", "examples", "optimize"):
            lines = sentences_of(commands[name], 2, capsys)
            assert "gave no usable reply. Try another model" in lines[-1], lines
        assert "no JSON object" in sentences_of(commands["seed"], 2, capsys)[-1]
        assert "no idea" in sentences_of(commands["simulate"], 3, capsys)[0]


def test_a_reply_of_a_bot_is_printed_without_control_characters(
    home: Path, fresh_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Colourful(ModelServer):
        def next_script(self, body: Json) -> Any:
            return None if shape(body) else "10日です。\x1b[31m[1]"

    with serving(Colourful()) as server:
        choose_server(server, fresh_settings)
        assert sentences_of(["ask", "交通費の精算の期限はいつですか", "--bot", "komachi"], 0, capsys) == []


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        *(
            ("OPENAI_BASE_URL", url, "URL")
            for url in ("not a url", "http://", "http://127.0.0.1:99999/v1", "ftp://x/v1")
        ),
        *(
            ("OPENAI_BASE_URL", url, "URL")
            for url in ("http://[::1/v1", "http://h/\x1b[31m/v1", f"http://{'a' * 300}/v1")
        ),
        *(("OPENAI_API_KEY", key, "key has characters") for key in ("キー", "sk-one\nsk-two", "\x1b[31msk-12345678")),
    ],
)
def test_a_senseless_address_or_key_is_reported_in_one_sentence(
    name: str,
    value: str,
    wrong: str,
    commands: dict[str, list[str]],
    fresh_settings: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    choose_server(ModelServer(), fresh_settings)
    fresh_settings.setenv(name, value)
    for command in commands.values():
        (line,) = sentences_of(command, 2, capsys)
        assert wrong in line and "sk-" not in line
