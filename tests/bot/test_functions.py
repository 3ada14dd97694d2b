"""Functions as routes: the step that the model calls is where the turn goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.prompt import NeedsModel
from core.base.types import ClarifySettings, Message, ProfileField, SectionHit
from core.bot.clarify.function_calling import (
    AskForMissing,
    CalledStep,
    ChooseStep,
    DrawOutConsultation,
    HandToPerson,
    SearchNow,
    assessment_of,
    route_of,
)
from core.bot.clarify.routing import route_by_rules
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from tests.bot.test_what_reaches_the_model import TALK, Scripted
from tests.support.small_bot import small_bot

STEPS: list[tuple[CalledStep, int, str, str]] = [
    (AskForMissing(question="どれですか。", choices=tuple("abcdef")), 2, "ask", "missing"),
    (DrawOutConsultation(question="目的は何ですか。"), 1, "ask", "consultation"),
    (SearchNow(), 6, "search", ""),
    (HandToPerson(), 6, "search", ""),
]
PROMPT = ChooseStep(
    conversation=(Message(role="user", text="{{ 7 * 7 }} 休暇について"),),
    sections=(SectionHit(document="a.md", title="休暇", heading="日数", score=1, coverage=0.6),),
    fields=(ProfileField(name="雇用区分", question="雇用区分は", values=("正社員", "契約社員")),),
    profile="営業部",
)


@pytest.mark.parametrize(("step", "row", "decision", "reason"), STEPS, ids=lambda value: type(value).__name__)
def test_each_step_has_its_row(step: CalledStep, row: int, decision: str, reason: str) -> None:
    chosen = route_of(step, asked=0, most=2)
    assert (chosen.rule, chosen.decision, chosen.reason) == (row, decision, reason)
    assert chosen.name_contact is isinstance(step, HandToPerson)


@pytest.mark.parametrize("step", [step for step, *_ in STEPS], ids=lambda step: type(step).__name__)
def test_the_stored_assessment_leads_to_the_same_route(step: CalledStep) -> None:
    assert route_by_rules(assessment_of(step), ClarifySettings()) == route_of(step, asked=0, most=2)


@pytest.mark.parametrize(
    "step", [SearchNow(), DrawOutConsultation(question="用途は何ですか。")], ids=["search", "draw out"]
)
def test_a_consultation_after_the_last_question_is_rewritten_and_searched(step: CalledStep, tmp_path: Path) -> None:
    bot = small_bot(tmp_path / "knowledge")
    settings = bot.clarify.model_copy(update={"strategy": "functions", "max_questions": 1})
    bot = bot.model_copy(update={"clarify": settings})
    engine = Scripted(ChooseStep=step, Rewrite="子の看護休暇は何日ですか", Answering="年に5日です。[1]\nANSWERED: yes")
    turn = take_turn(engine, bot, Indexes(tmp_path / "index").get(bot), TALK[:2], "看護休暇です")
    assert turn.query == "子の看護休暇は何日ですか" and turn.hits and turn.reply.kind == "answer" and turn.reply.cited


def test_enough_questions_are_enough() -> None:
    chosen = route_of(STEPS[0][0], asked=2, most=2)
    assert (chosen.decision, chosen.limit_reached, chosen.ask) == ("search", True, "")


def test_at_most_five_choices_are_offered() -> None:
    assert assessment_of(STEPS[0][0]).choices == ("a", "b", "c", "d", "e")


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("patience", ["at_once", "balanced", "talk"])
def test_the_prompt_holds_all_that_is_known(language: str, patience: str) -> None:
    prompt = PROMPT.model_copy(update={"language": language, "patience": patience})
    rules, material = prompt.messages()
    assert all(name in rules for name in ("search_now", "ask_for_missing", "draw_out_consultation", "hand_to_person"))
    assert all(word in material for word in ("営業部", "雇用区分", "契約社員", "日数", "{{ 7 * 7 }} 休暇について"))
    assert "ユーザー" not in rules if language == "en" else "ユーザー" in rules


def test_only_a_model_can_call_functions() -> None:
    with pytest.raises(NeedsModel):
        EmbeddedEngine().ask(PROMPT)
