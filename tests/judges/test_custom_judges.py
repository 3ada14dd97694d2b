"""Judges of the owner's own, in Python: loaded from the bot's folder, and whatever goes wrong in them is a row."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.errors import BadInput
from core.base.types import Bot, Sample, Score
from core.judges.base import JudgeOptions, judge_all
from core.judges.custom.python_judges import judge
from core.judges.registry import all_judges, judges_of
from core.llm.embedded import EmbeddedEngine
from tests.support.small_bot import small_bot

HEAD = "from core.judges.custom.python_judges import judge\n"
SAMPLE = Sample(question="期限は？", answer="10日です。", reference=("10日までです。",))


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    return small_bot(tmp_path)


def put(bot: Bot, source: str, name: str = "mine.py") -> Path:
    file = bot.folder / "judges" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(source, "utf-8")
    return file


def judged(bot: Bot, name: str, sample: Sample = SAMPLE, options: JudgeOptions = JudgeOptions()) -> Score:
    (score,) = judge_all(EmbeddedEngine(), judges_of([name], bot), sample, options)
    return score


def problem(bot: Bot, name: str) -> BadInput:
    (found,) = (listed.problem for listed in all_judges(bot) if listed.judge.name == name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("returned", "label", "value", "reasons"),
    [
        ("True", "Yes", 1.0, ""),
        ("False", "No", 0.0, ""),
        ("0.25", "0.25", 0.25, ""),
        ("1", "1", 1.0, ""),
        ("(0.5, '半分')", "0.5", 0.5, "半分"),
        ("(False, '短い')", "No", 0.0, "短い"),
        ("Score(judge='x', criterion='y', value=0.6, label='C', reasons='まあまあ')", "C", 0.6, "まあまあ"),
        ("numpy.float64(0.75)", "0.75", 0.75, ""),
        ("numpy.bool_(True)", "Yes", 1.0, ""),
    ],
)
def test_what_a_function_returns_becomes_a_score(
    bot: Bot, returned: str, label: str, value: float, reasons: str
) -> None:
    put(
        bot,
        f"{HEAD}import numpy\nfrom core.base.types import Score\n@judge\ndef mine(sample):\n    return {returned}\n",
    )
    score = judged(bot, "custom:mine")
    assert (score.judge, score.criterion) == ("custom:mine", "mine")
    assert (score.label, score.value, score.reasons, score.error) == (label, value, reasons, "")


@pytest.mark.parametrize("returned", ["1.2", "-1", "5", "float('nan')", "float('inf')", "10 ** 400"])
def test_a_value_out_of_range_is_unscored_with_one_sentence(bot: Bot, returned: str) -> None:
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    return {returned}, 'why'\n")
    score = judged(bot, "custom:mine", options=JudgeOptions(language="en"))
    assert score.value is None and "from 0 to 1" in score.error and "\n" not in score.error


@pytest.mark.parametrize("returned", ["None", "'Yes'", "[0.5]", "((1, 'a'), 'b')", "object()", "sample"])
def test_what_is_no_verdict_is_unscored(bot: Bot, returned: str) -> None:
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    return {returned}\n")
    score = judged(bot, "custom:mine")
    assert score.value is None and "採点として読めません" in score.error


@pytest.mark.parametrize(
    "fails", ["{}['x']", "raise SystemExit(3)", "mine(sample)", "raise BaseExceptionGroup('g', [ValueError('x')])"]
)
def test_an_error_in_a_function_is_a_row_with_its_line(bot: Bot, fails: str) -> None:
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    {fails}\n")
    score = judged(bot, "custom:mine", options=JudgeOptions(language="en"))
    assert score.value is None and "judges/mine.py, line 4" in score.error and str(bot.folder.parent) not in score.error


def test_a_function_may_take_how_have_a_name_and_say_what_it_needs(bot: Bot) -> None:
    put(
        bot,
        f"{HEAD}@judge(name='口調', needs=['keypoints'], lower_is_better=True)\n"
        "def any_name(sample, how):\n    return how.language == 'en', sample.keypoints[0]\n",
    )
    (one,) = judges_of(["custom:口調"], bot)
    assert one.lower_is_better == {"口調"} and one.needs == ("keypoints",)
    assert "要点" in judged(bot, "custom:口調").error
    sample = SAMPLE.model_copy(update={"keypoints": ("10日",)})
    assert (
        judged(bot, "custom:口調", sample, JudgeOptions(language="en")).value,
        judged(bot, "custom:口調", sample).value,
    ) == (
        1.0,
        0.0,
    )


@pytest.mark.parametrize(
    "arguments", ["sample, options", "sample, options=None", "sample, o, /", "sample, *, options=None"]
)
def test_a_second_argument_of_any_name_and_default_is_the_options(bot: Bot, arguments: str) -> None:
    second = arguments.replace("*, ", "").split(", ")[1].split("=")[0]
    put(bot, f"{HEAD}@judge\ndef mine({arguments}):\n    return getattr({second}, 'strict', False)\n")
    value = judged(bot, "custom:mine", options=JudgeOptions(strict=True)).value
    assert value == (0.0 if "*" in arguments else 1.0)


def test_a_marked_function_can_still_be_called() -> None:
    @judge
    def short(sample: Sample) -> bool:
        return len(sample.answer) < 10

    assert short(SAMPLE) is True and short.name == "short"


def test_a_changed_file_is_loaded_again_and_has_another_version(bot: Bot) -> None:
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    return 0.1\n")
    (before,) = judges_of(["custom:mine"], bot)
    assert judged(bot, "custom:mine").value == 0.1
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    return 0.2\n")
    (after,) = judges_of(["custom:mine"], bot)
    assert judged(bot, "custom:mine").value == 0.2 and before.version != after.version
    (bot.folder / "judges" / "mine.py").unlink()
    with pytest.raises(BadInput):
        judges_of(["custom:mine"], bot)


def test_a_file_is_run_once_for_each_content(bot: Bot) -> None:
    counted = bot.folder / "count"
    put(bot, f"{HEAD}open({str(counted)!r}, 'a').write('x')\n@judge\ndef mine(sample):\n    return 1\n")
    for _ in range(3):
        judged(bot, "custom:mine")
    assert counted.read_text() == "x"


@pytest.mark.parametrize(
    ("source", "name", "says"),
    [
        (f"{HEAD}@judge\ndef mine(sample)\n    return 1\n", "custom:mine", "line 3"),
        (
            f"{HEAD}@judge(name='tone')\ndef mine(sample):\n    return 1\nimport nothing_of_the_kind\n",
            "custom:tone",
            "line 5",
        ),
        (f"{HEAD}raise SystemExit\n@judge\ndef mine(sample):\n    return 1\n", "custom:mine", "line 2"),
        ("def mine(sample):\n    return 1\n", "custom:mine", "@judge"),
        ("", "custom:mine", "@judge"),
        (f"{HEAD}@judge\nasync def mine(sample):\n    return 1\n", "custom:mine", "not async"),
        (f"{HEAD}@judge\ndef mine():\n    return 1\n", "custom:mine", "function of a Sample"),
        (f"{HEAD}@judge\ndef mine(a, b, c):\n    return 1\n", "custom:mine", "function of a Sample"),
        (f"{HEAD}@judge(name='a b')\ndef mine(sample):\n    return 1\n", "custom:a b", "not a valid name"),
        (f"{HEAD}@judge(needs='answers')\ndef mine(sample):\n    return 1\n", "custom:mine", "needs"),
        (
            f"{HEAD}@judge\ndef mine(s):\n    return 1\n@judge(name='mine')\ndef two(s):\n    return 0\n",
            "custom:mine",
            "Several judges",
        ),
    ],
)
def test_what_cannot_be_loaded_is_a_listed_problem_and_a_row(bot: Bot, source: str, name: str, says: str) -> None:
    put(bot, source)
    assert says in str(problem(bot, name))
    english, japanese = judged(bot, name, options=JudgeOptions(language="en")), judged(bot, name)
    assert english.value is None and says in english.error and english.judge == name
    assert japanese.value is None and japanese.error != english.error and str(bot.folder.parent) not in english.error


def test_two_files_with_one_name_are_a_problem_and_the_rest_can_be_used(bot: Bot) -> None:
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    return 1\n@judge\ndef other(sample):\n    return 1\n")
    put(bot, f"{HEAD}@judge\ndef mine(sample):\n    return 0\n", "again.py")
    assert "again.py, mine.py" in str(problem(bot, "custom:mine"))
    assert judged(bot, "custom:mine").value is None and judged(bot, "custom:other").value == 1.0


def test_a_judge_that_may_stand_in_a_broken_file_is_a_row_not_a_refused_run(bot: Bot) -> None:
    put(bot, "make = judge\n")
    score = judged(bot, "custom:made_elsewhere")
    assert score.value is None and "custom:made_elsewhere" in score.error and "mine.py" in score.error


def test_nothing_is_loaded_from_outside_the_folder(bot: Bot, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(
        f"{HEAD}open({str(tmp_path / 'ran')!r}, 'w')\n@judge\ndef mine(sample):\n    return 1\n", "utf-8"
    )
    (bot.folder / "judges").mkdir()
    (bot.folder / "judges" / "mine.py").symlink_to(outside)
    assert problem(bot, "custom:mine").key == "custom_outside" and judged(bot, "custom:mine").value is None
    assert not (tmp_path / "ran").exists()
    with pytest.raises(BadInput) as error:
        judges_of(["custom:mine"])
    assert error.value.key == "unknown_judge"


def test_a_file_that_is_no_text_is_a_problem(bot: Bot) -> None:
    put(bot, "").write_bytes(b"\xff\xfe\x00")
    assert problem(bot, "custom:mine").key == "custom_unreadable"


@pytest.mark.parametrize("fill", [Path.mkdir, os.mkfifo, lambda file: file.symlink_to(file.name)])
def test_what_is_no_file_is_a_problem_and_not_waited_for(bot: Bot, fill: Callable[[Path], object]) -> None:
    (bot.folder / "judges").mkdir()
    fill(bot.folder / "judges" / "mine.py")
    assert problem(bot, "custom:mine").key == "custom_unreadable"


def test_a_file_may_use_dataclasses(bot: Bot) -> None:
    put(
        bot,
        f"from __future__ import annotations\n{HEAD}from dataclasses import dataclass\n@dataclass\nclass Rule:\n    most: int\n"
        "RULE = Rule(20)\n@judge\ndef mine(sample):\n    return len(sample.answer) <= RULE.most\n",
    )
    assert judged(bot, "custom:mine").value == 1.0


def test_the_examples_of_the_documentation_work(bot: Bot) -> None:
    text = (Path(__file__).parents[2] / "docs" / "judges.md").read_text("utf-8")
    code, toml = (re.search(rf"```{kind}\n(.*?)```", text, re.DOTALL) for kind in ("python", "toml"))
    assert code and toml
    put(bot, code[1])
    (bot.folder / "judges" / "criteria.toml").write_text(toml[1], "utf-8")
    own = {listed.judge.name: listed for listed in all_judges(bot)[len(all_judges()) :]}
    assert set(own) == {"custom:short_enough", "custom:cites", "criteria:keigo", "labeled_criteria:blames_the_person"}
    assert not any(listed.problem for listed in own.values())
    assert judged(bot, "custom:short_enough").reasons == "6 characters"
