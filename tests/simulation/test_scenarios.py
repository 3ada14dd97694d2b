"""Scenarios: the table of questions is read tolerantly and written back whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.bot_folder import bot_ids, load_bot
from core.base.errors import BadInput
from core.base.types import Scenario
from core.simulation.scenarios import decode_csv, parse_scenarios, read_scenarios, scenarios_csv, write_scenarios
from tests.support.simulated_users import FAQ, LEAVE, bot_in


def test_scenarios_come_back_as_they_were_written(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)
    scenarios = [
        LEAVE.model_copy(
            update={"needs_asking": True, "persona": "angry", "reference": '「はい」, と"答える"\n二行目'}
        ),
        Scenario(id="f", question="=1+1", facts="=SUM(A1:A9); @x: +3", needs_asking=False),
        FAQ,
    ]
    write_scenarios(bot, scenarios)
    assert read_scenarios(bot) == scenarios
    assert parse_scenarios(scenarios_csv(scenarios)) == scenarios


@pytest.mark.parametrize("bot_id", bot_ids())
def test_the_bundled_scenarios_round_trip(bot_id: str) -> None:
    scenarios = read_scenarios(load_bot(bot_id))
    assert len(scenarios) >= 40
    assert parse_scenarios(scenarios_csv(scenarios)) == scenarios


def test_a_bot_without_questions_has_no_scenarios(tmp_path: Path) -> None:
    assert read_scenarios(bot_in(tmp_path)) == []


def test_only_the_question_is_needed_and_ids_are_made() -> None:
    scenarios = parse_scenarios("\ufeffQuestion , 備考,id\r\nA?,x,\r\n\r\nB?,y,q001\r\nC?,,\r\n")
    assert [(one.id, one.question, one.kind, one.needs_asking) for one in scenarios] == [
        ("q002", "A?", "faq", None),
        ("q001", "B?", "faq", None),
        ("q003", "C?", "faq", None),
    ]


def test_semicolons_and_tabs_are_understood() -> None:
    assert parse_scenarios("question;kind\nA, B?;vague\n")[0].question == "A, B?"
    assert parse_scenarios("id\tquestion\nx\tA?\n")[0].id == "x"


@pytest.mark.parametrize(
    ("cell", "value"), [("yes", True), ("はい", True), ("FALSE", False), ("いいえ", False), ("", None)]
)
def test_needs_asking_is_read_in_both_languages(cell: str, value: bool | None) -> None:
    assert parse_scenarios(f"question,needs_asking\nA?,{cell}\n")[0].needs_asking is value


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ("text,kind\nA?,faq\n", "no_question_column", "text, kind"),
        ("", "no_question_column", "nothing"),
        (
            "question,kind\nA?,faq\nB?,quiz\n",
            "broken_questions",
            "Row 3 of questions.csv .*'quiz'.*faq, vague, consultation",
        ),
        ("question,kind\n,faq\n", "broken_questions", "Row 2 of questions.csv .*empty"),
        ("question,kind\nA, B and C?,x,faq\n", "broken_questions", "Row 2 of questions.csv .*4 cells"),
        ("question,needs_asking\nA?,perhaps\n", "broken_questions", "perhaps"),
        ("id,question\nx,A?\nx,B?\n", "duplicate_question_id", "'x'"),
        ('id,question\nx,"A?\n', "broken_file", "questions.csv"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_in_one_sentence(text: str, key: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        parse_scenarios(text)
    assert caught.value.key == key


@pytest.mark.parametrize(
    "text", ["text\nA?\n", "id,question\nx,A?\nx,B?\n", "question,kind\nA?,quiz\n", 'question\n"A\n']
)
def test_an_error_names_the_bots_file(tmp_path: Path, text: str) -> None:
    bot = bot_in(tmp_path, text)
    with pytest.raises(BadInput, match=f"{tmp_path.name}/questions.csv"):
        read_scenarios(bot)


def test_files_of_japanese_windows_are_read() -> None:
    assert parse_scenarios(decode_csv("question\n休暇について\n".encode("cp932")))[0].question == "休暇について"


def test_saving_keeps_other_columns_and_refuses_before_it_writes(tmp_path: Path) -> None:
    bot = bot_in(tmp_path, "id,owner,question\nx,Ann,A?\ny,Bob,B?\n")
    stored = read_scenarios(bot)
    write_scenarios(bot, [stored[1], Scenario(id="", question="C?")])
    lines = (tmp_path / "questions.csv").read_text("utf-8").splitlines()
    assert lines[0].endswith(",owner") and lines[1].startswith("y,B?") and lines[1].endswith(",Bob")
    with pytest.raises(BadInput):
        write_scenarios(bot, [Scenario(id="z", question=" ")])
    assert [one.id for one in read_scenarios(bot)] == ["y", "q002"]


def test_what_judges_need_may_stand_in_columns_of_its_own_and_stays_when_the_table_is_edited(tmp_path: Path) -> None:
    bot = bot_in(tmp_path)
    (bot.folder / "questions.csv").write_text('id,question,keypoints,evidence\na,q,"one\ntwo",The sentence.\n', "utf-8")
    (found,) = read_scenarios(bot)
    assert (found.keypoints, found.evidence) == ("one\ntwo", "The sentence.")
    write_scenarios(bot, [Scenario(id="a", question="other words")])
    (reread,) = read_scenarios(bot)
    assert (reread.question, reread.keypoints, reread.evidence) == ("other words", "one\ntwo", "The sentence.")
