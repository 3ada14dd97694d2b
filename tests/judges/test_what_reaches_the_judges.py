"""What the prompts of judges and the simulated user tell a model: choices, candidates, today's date."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

from core.base.bot_folder import load_bot
from core.base.call_context import in_context
from core.base.fence import fence_text
from core.base.types import Assessment, Clarify, Message, Persona, Route, Sample, Scenario, SectionHit, Turn
from core.bot.answer_ask_refuse import response_probabilities
from core.bot.clarify.assess import shown_candidates
from core.bot.turn import take_turn
from core.judges.base import JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.judges.rules.answer_measures import open_question_of, question_of
from core.judges.turn.turn import JudgeTurn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.judging.samples import sample_of
from core.simulation.simulated_user import NextMessage
from tests.support.fake_judge_engine import Replying

CHOICES = ("有給休暇", "介護\n休暇")
SECTIONS = tuple(
    SectionHit(document="leave.md", title="休暇", heading=f"見出し{n}", score=1, coverage=0.5, text=f"{n}日です。")
    for n in range(1, 17)
)
CANCELLING = "How do I cancel a subscription that I bought on my iPhone?"
ASKED = Turn(
    message="休暇について",
    reply=Clarify(text="どの休暇ですか。", choices=CHOICES),
    assessment=Assessment(clarity=5, is_question=1, is_consultation=5, in_internal_docs=1, ask_person=5),
    route=Route(rule=2, decision="ask", ask="どの休暇ですか。", reason="missing"),
    sections=SECTIONS,
)
JUDGES = ("turn", "correctness", "groundedness", "sufficiency", "relevance", "qa", "context_qa", "cot_qa", "keypoints")
JUDGES += ("criteria:depth", "labeled_criteria:depth", "five_star", "simulated_user")
FULL = Sample(
    question="何日ですか",
    answer="5日です。",
    contexts=("5日。",),
    reference=("5日",),
    keypoints=("5日",),
    history=ASKED.as_messages(),
)


def prompt_of(judge: str, sample: Sample = FULL, **options: Any) -> Any:
    """What a judge asks a model."""
    engine = Replying(make=lambda prompt: None)
    judge_one(engine, judges_of((judge,))[0], sample, JudgeOptions.model_validate(options))
    return engine.asked[0]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_turn_judge_sees_the_choices_and_candidates_of_the_question_that_it_scores(language: Any) -> None:
    sample = sample_of(Scenario(id="q", question="休暇について"), ASKED, ())
    material = JudgeTurn(sample=sample, guidelines="", language=language).messages()[1]
    assert fence_text("1. 有給休暇\n2. 介護 休暇") in material
    assert len(sample.candidates) == len(shown_candidates(SECTIONS)) == 16
    assert all(f"- 休暇 / 見出し{n}: {n}日です。" in material for n in range(1, 17))


def test_choices_of_earlier_questions_are_numbered_as_in_the_bot_s_prompts() -> None:
    for judge in ("turn", "correctness", "groundedness", "qa", "criteria:depth", "simulated_user"):
        assert fence_text("1. 有給休暇\n2. 介護 休暇") in prompt_of(judge).messages()[1], judge


def test_candidates_are_shown_for_questions_only() -> None:
    answered = Turn.model_validate({**ASKED.model_dump(), "reply": {"kind": "answer", "text": "5日です。"}})
    assert sample_of(Scenario(id="q", question="休暇"), answered, ()).candidates == ()


def follow_up(indexes: Indexes) -> tuple[Turn, tuple[Message, ...]]:
    """A message that needs the question before it although its wording does not show it."""
    bot = load_bot("harbor")
    first = take_turn(EmbeddedEngine(), bot, indexes.get(bot), (), CANCELLING).as_messages()
    return take_turn(EmbeddedEngine(), bot, indexes.get(bot), first, "how long can I still use it?"), first


@pytest.mark.slow
def test_the_judges_read_a_follow_up_as_the_bot_read_it(indexes: Indexes) -> None:
    turn, before = follow_up(indexes)
    sample = sample_of(Scenario(id="q", question=CANCELLING), turn, before)
    assert "iPhone" in question_of(sample) and question_of(sample) == turn.query
    assert sample.question == turn.message


@pytest.mark.slow
def test_what_speaks_for_a_response_is_told_by_the_question_that_the_sections_were_found_for(indexes: Indexes) -> None:
    turn, before = follow_up(indexes)
    assert sample_of(
        Scenario(id="q", question=CANCELLING), turn, before
    ).response_probabilities == response_probabilities(turn.query, turn.sections)


@pytest.mark.slow
def test_what_was_asked_before_an_answer_is_not_asked_again(indexes: Indexes) -> None:
    turn, before = follow_up(indexes)
    sample = sample_of(Scenario(id="q", question=CANCELLING), turn, before)
    assert open_question_of(sample) == turn.message
    picking = Sample(question="有給休暇", answer="5日です。", history=ASKED.as_messages())
    assert open_question_of(picking) == question_of(picking) != picking.question


def test_without_the_bot_s_reading_the_question_follows_from_the_messages() -> None:
    history = (*ASKED.as_messages(), Message(role="user", text="有給休暇"), Message(role="assistant", text="5日です。"))
    assert (
        question_of(Sample(question="有給休暇", answer="5日です。", history=history[:2]))
        == "有給休暇について教えてください"
    )
    assert question_of(Sample(question="ありがとう", answer="いいえ。", history=history)) == "ありがとう"


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_judge_knows_today_s_date(judge: str, language: Any) -> None:
    with in_context(today=date(2026, 4, 1)):
        material = prompt_of(judge, language=language).messages()[1]
    assert f"2026-04-01 ({'水' if language == 'ja' else 'Wednesday'})" in material
    assert date.today().isoformat() in prompt_of(judge, language=language).messages()[1]


def test_the_simulated_user_knows_today_s_date() -> None:
    talk = (Message(role="user", text="休暇は?"), Message(role="assistant", text="5日です。"))
    scenario = Scenario(id="q", question="休暇は?")
    with in_context(today=date(2026, 4, 1)):
        prompt = NextMessage(persona=Persona(id="calm", name="冷静"), scenario=scenario, conversation=talk)
    assert "2026-04-01 (水)" in prompt.messages()[1]


def test_the_texts_of_a_sample_are_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import core.judges.judge_prompt as module

    counted: list[Sample] = []
    plain = module.fenced_sample
    monkeypatch.setattr(module, "fenced_sample", lambda sample: (counted.append(sample), plain(sample))[1])
    prompt = JudgeTurn(sample=FULL, guidelines="")
    assert not counted
    prompt.messages()
    assert len(counted) == 1


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_rule_of_a_judge_stands_on_a_line_of_its_own(judge: str, language: Any) -> None:
    rules = prompt_of(judge, language=language).messages()[0]
    assert not [line for line in rules.splitlines() if re.search(r"[.。]- ", line)]
    assert sum("<<<" in line and ">>>" in line for line in rules.splitlines()) == 1
