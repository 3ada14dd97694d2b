"""Errors are stored with their key, and shown in the language of the reader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.budget import Budget
from core.base.errors import (
    BadInput,
    BudgetReached,
    InvalidReply,
    ModelRefusal,
    NoValidReply,
    as_sentence,
    error_key,
    stored_error,
)
from core.base.translate import translated_stored_error, translator
from core.base.types import Sample
from core.judges.base import Judge, JudgeOptions, judge_one
from core.llm.embedded import EmbeddedEngine

JA, EN = translator("ja"), translator("en")
DEAD = BadInput("h gave no proper reply (HTTP 504).", "unreachable", server="h", detail="HTTP 504")
QUOTED = "エラーの原文「"
REFUSED = ModelRefusal(InvalidReply("The model refused: No.", "reply_refused", refusal="No."), "")


@pytest.mark.parametrize(
    ("error", "japanese", "english"),
    [
        (DEAD, "h から正しい返答がありません（HTTP 504）。", "h sent no valid reply (HTTP 504)."),
        (
            NoValidReply(InvalidReply("The reply is empty.", "reply_empty"), ""),
            "モデルの返答を使えません（モデルの返答が空でした）",
            "(the reply is empty)",
        ),
        (
            InvalidReply("score: Input should be a valid integer."),
            "モデルの返答を読み取れません（score: Input should be a valid integer.）",
            "could not be read (score: Input should",
        ),
        (REFUSED, "モデルが返答を拒否しました（モデルの説明：No.）", "declined to reply (the model refused: No.)"),
        (ValueError("odd"), f"{QUOTED}ValueError: odd」", "ValueError: odd"),
        (BadInput("New kind of error.", "unheard_of"), "New kind of error.", "New kind of error."),
    ],
)
def test_a_stored_error_is_shown_in_both_languages(error: Exception, japanese: str, english: str) -> None:
    assert japanese in translated_stored_error(JA, stored_error(error))
    assert english in translated_stored_error(EN, stored_error(error))


@pytest.mark.parametrize("text", ["", "モデルが倒れました HTTP", "-"])
def test_a_text_in_the_language_of_the_reader_or_in_none_is_shown_as_it_is(text: str) -> None:
    assert translated_stored_error(JA, text) == translated_stored_error(EN, text) == text


def test_the_error_of_a_used_up_budget_has_its_key() -> None:
    budget = Budget(calls=1)
    with budget.call():
        pass
    with pytest.raises(BudgetReached) as spent, budget.call():
        pass
    assert error_key(stored_error(spent.value)) == "budget_reached"


def failing(error: Exception) -> Judge:
    """A judge whose model fails."""

    def fail(*_: object) -> tuple[()]:
        raise error

    return Judge(name="x", criteria=("x",), needs=("question",), version="1", scores=fail)


def test_the_error_of_a_score_has_its_key_and_is_shown_in_both_languages() -> None:
    (score,) = judge_one(EmbeddedEngine(), failing(DEAD), Sample(question="?", answer="!"), JudgeOptions())
    assert score.value is None and error_key(score.error) == "unreachable" and as_sentence(score.error) == str(DEAD)
    assert translated_stored_error(JA, score.error).startswith("h から正しい返答がありません")
    assert translated_stored_error(EN, score.error).startswith("h sent no valid reply")


def test_the_command_judge_prints_the_error_of_a_score_as_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.cli.judge.judges_of", lambda *_: (failing(DEAD),))
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": 1, "question": "?", "answer": "!"}\n', "utf-8")
    assert main(["judge", "x", "--in", str(source), "--out", str(target)]) == 2  # nothing was scored
    assert json.loads(target.read_text("utf-8"))["error"] == str(DEAD)
