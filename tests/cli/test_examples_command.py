"""The command `examples`: a model writes example questions into the bot's folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.bot_folder import load_bot
from core.base.settings import settings
from core.documents.example_questions import FILE, ExampleQuestion, change_example_questions, read_example_questions
from tests.support.model_server import ModelServer, choose_server

MINE = ExampleQuestion("expenses.md", "期限", "電車代はいつまでに出せばいい?")


@pytest.fixture
def model(home: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """A model server that the settings name."""
    choose_server(server, monkeypatch)
    return server


def test_sections_without_questions_get_some_and_the_others_stay(
    model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = load_bot("komachi")
    change_example_questions(bot, added=[MINE])
    assert main(["examples", "--bot", "komachi", "--limit", "1"]) == 0
    assert "3 example questions for 1 sections; dropped: empty 1, heading 1, long 1" in capsys.readouterr().out
    assert main(["examples", "--bot", "komachi", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["sections"] == 2 and printed["missing"] == 0
    examples = read_example_questions(bot)
    assert [one for one in examples if one.document == "expenses.md"] == [MINE] and len(examples) == 10
    asked = len(model.requests)
    assert main(["examples", "--bot", "komachi"]) == 0
    assert "already" in capsys.readouterr().out and len(model.requests) == asked


def test_redo_writes_all_again_and_keeps_a_copy(
    home: Path, model: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = load_bot("komachi")
    change_example_questions(bot, added=[MINE])
    assert main(["examples", "--bot", "komachi", "--redo"]) == 0
    assert MINE not in read_example_questions(bot)
    copy = Path(capsys.readouterr().err.strip().removeprefix("the file as it was: "))
    assert copy.is_relative_to(home / "data") and MINE.question in copy.read_text("utf-8")


def test_what_cannot_be_done_is_one_sentence(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "--bot", "komachi"]) == 2
    printed = capsys.readouterr()
    assert "written by a language model" in printed.err and printed.err.count("\n") == 1 and not printed.out
    (load_bot("komachi").folder / FILE).write_text("a,b\n1,2\n", "utf-8")
    assert main(["examples", "--bot", "komachi"]) == 2
    assert "It needs document, heading, question" in capsys.readouterr().err


def test_a_model_server_that_refuses_ends_the_command_and_keeps_what_there_is(
    model: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change_example_questions(load_bot("komachi"), added=[MINE])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    settings.cache_clear()
    assert main(["examples", "--bot", "komachi"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert read_example_questions(load_bot("komachi")) == [MINE]
