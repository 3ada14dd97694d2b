"""Judges of the owner's own that do what none should, and files that only help them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.errors import BadInput
from core.base.types import Bot
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import all_judges, judges_of
from core.llm.embedded import EmbeddedEngine
from tests.judges.test_custom_judges import HEAD, SAMPLE, judged, problem, put
from tests.judges.test_custom_judges import bot as bot  # the fixture
from tests.support.small_bot import small_bot


@pytest.mark.parametrize("fails", ["raise KeyboardInterrupt", "raise GeneratorExit", "raise asyncio.CancelledError"])
def test_nothing_that_a_judge_raises_ends_the_judging(bot: Bot, fails: str) -> None:
    put(bot, f"{HEAD}import asyncio\n@judge\ndef mine(sample):\n    {fails}\n")
    put(bot, f"{HEAD}import asyncio\n@judge\ndef other(sample):\n    return 1\n{fails}\n", "other.py")
    assert "line 5" in judged(bot, "custom:mine", options=JudgeOptions(language="en")).error
    assert "line 6" in judged(bot, "custom:other", options=JudgeOptions(language="en")).error


def test_reasons_that_cannot_be_printed_are_an_error_of_that_judge(bot: Bot) -> None:
    put(bot, f"{HEAD}class R:\n    def __str__(self):\n        return 1 / 0\n@judge\ndef mine(s):\n    return 1, R()\n")
    assert "ZeroDivisionError" in judged(bot, "custom:mine").error


@pytest.mark.parametrize("returned", ["0.5, 'x' * 9999 + '\\ud800'", "1/0, '\\ud800'", "'\\ud800'", "raised(sample)"])
def test_what_a_judge_says_can_be_stored_and_is_cut(bot: Bot, returned: str) -> None:
    put(
        bot,
        f"{HEAD}def raised(sample):\n    raise ValueError('\\ud800 bad')\n@judge\ndef mine(sample):\n    return {returned}\n",
    )
    score = judged(bot, "custom:mine")
    score.model_dump_json().encode()
    assert len(score.reasons) <= 2000 and bool(score.error) != (score.value is not None)


def test_a_long_label_is_cut(bot: Bot) -> None:
    put(
        bot,
        f"{HEAD}from core.base.types import Score\n@judge\ndef mine(s):\n"
        "    return Score(judge='', criterion='', value=1, label='\\ud800' * 999)\n",
    )
    assert judged(bot, "custom:mine").label == "\ufffd" * 79 + "…"


def test_a_judge_cannot_change_the_sample_for_the_next_one(bot: Bot) -> None:
    put(
        bot,
        f"{HEAD}@judge\ndef a(sample, how):\n    object.__setattr__(sample, 'answer', 'x')\n"
        "    sample.__dict__['question'] = 'x'\n    return 1\n@judge\ndef b(sample):\n    return 1, sample.answer\n",
    )
    scores = judge_all(EmbeddedEngine(), judges_of(["custom:a", "custom:b"], bot), SAMPLE, JudgeOptions())
    assert [score.reasons for score in scores] == ["", "10日です。"] and SAMPLE.question == "期限は？"


def test_print_goes_to_standard_error(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    put(bot, f"{HEAD}print('loaded')\n@judge\ndef mine(sample):\n    print('judged')\n    return 1\n")
    assert judged(bot, "custom:mine").value == 1
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == "loaded\njudged\n"


def test_files_with_an_underscore_help_the_judges_of_their_folder(bot: Bot, tmp_path: Path) -> None:
    mine = f"{HEAD}from _limits import MOST\n@judge\ndef mine(s):\n    from ._more import half\n    return half(MOST)\n"
    put(bot, mine)
    put(bot, "MOST = 0.5\n", "_limits.py")
    put(bot, "import _limits\ndef half(x):\n    return x / 2 + _limits.MOST - 0.5\n", "_more.py")
    other = small_bot(tmp_path / "second")
    put(other, mine)
    put(other, "MOST = 1.0\n", "_limits.py")
    names = [listed.judge.name for listed in all_judges(bot)]
    assert [name for name in names if name.startswith("custom:")] == ["custom:mine"]
    (before,) = judges_of(["custom:mine"], bot)
    assert judged(bot, "custom:mine").value == 0.25 and "ImportError" in judged(other, "custom:mine").error
    put(bot, "MOST = 0.7\n", "_limits.py")
    (after,) = judges_of(["custom:mine"], bot)
    assert judged(bot, "custom:mine").value == pytest.approx(0.55) and before.version != after.version
    put(bot, "MOST = \n", "_limits.py")
    assert "mine.py" in judged(bot, "custom:mine").error and "line 2" in str(problem(bot, "custom:mine"))


@pytest.mark.parametrize("name", ["custom:mispelt", "criteria:mispelt"])
def test_a_broken_file_is_blamed_only_for_what_could_stand_in_it(bot: Bot, name: str) -> None:
    put(bot, f"{HEAD}@judge\ndef mine(sample)\n    return 1\n")
    put(bot, f"{HEAD}@judge(needs='answers')\ndef two(sample):\n    return 1\n", "two.py")
    (bot.folder / "judges" / "criteria.toml").write_text('[keigo]\nwording = "a\n', "utf-8")
    with pytest.raises(BadInput) as error:
        judges_of([name], bot)
    assert error.value.key == "unknown_judge"
    row = judged(bot, "criteria:keigo", options=JudgeOptions(language="en")).error
    assert "not found" in row and "criteria.toml cannot be read" in row
    assert "criteria.toml を読み込めません" in judged(bot, "criteria:keigo").error


def test_a_label_of_the_wrong_type_is_reported(bot: Bot) -> None:
    put(bot, '[keigo]\nwording = "a"\nbad = "yes"\n', "criteria.toml")
    assert (
        'must be one of true, false; it is "yes"'
        in judged(bot, "criteria:keigo", options=JudgeOptions(language="en")).error
    )
