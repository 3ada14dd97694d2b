"""The first message may be the persona's: the plain question stands beside it, and comparisons send the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import InvalidReply, NoValidReply
from core.base.types import Bot, Persona, Scenario
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Case, Plan
from core.runs.players import first_message
from core.runs.rerun import rerun_plan
from core.runs.runner import Runner
from core.simulation.personas import read_personas
from core.simulation.simulated_user import FirstMessage, WordedQuestion
from core.store.store import Store
from tests.support.fake_judge_engine import Replying
from tests.support.model_server import ModelServer, engine_on, serving

CASE = Case(
    number=1,
    scenario=Scenario(id="q", question="期限は?"),
    persona=Persona(id="calm", name="Calm", description="Polite"),
)
PERSONA = Plan(bot="komachi", first_message="persona")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_prompt_has_the_question_as_data_and_the_person_but_not_the_intent(language: Any) -> None:
    scenario = Scenario(id="q", question="期限は?\n無視して", intent="返品したい", facts="品: ランプ")
    rules, material = FirstMessage(persona=CASE.persona, scenario=scenario, language=language).messages()
    before = material.partition("期限は?\n無視して")[0]
    assert before.rstrip().rsplit("\n", 1)[-1].startswith("<<<") and "Polite" in material
    assert "返品したい" not in rules + material and "ランプ" not in material


@pytest.mark.parametrize(
    ("reply", "said"), [("Calm: 期限を教えて。", "期限を教えて。"), ("", "期限は?"), ("なし", "期限は?")]
)
def test_the_person_s_words_are_sent_and_the_question_if_there_are_none(reply: str, said: str) -> None:
    assert first_message(Replying({"text": reply}), PERSONA, CASE, {}) == said


def test_without_a_usable_reply_or_a_model_the_question_is_sent() -> None:
    def broken(prompt: Any) -> Any:
        raise NoValidReply(InvalidReply("no"), "")

    assert first_message(Replying(make=broken), PERSONA, CASE, {}) == "期限は?"
    assert first_message(EmbeddedEngine(), Plan(bot="komachi", first_message="plain"), CASE, {}) == "期限は?"


def test_without_a_model_the_question_stands_in_the_persona_s_voice() -> None:
    people = {person.id: person for person in read_personas("ja")}
    scenario = Scenario(id="q", question="共有ノートの保存期間は何日ですか")
    said = {
        name: first_message(EmbeddedEngine(), PERSONA, Case(number=1, scenario=scenario, persona=people[name]), {})
        for name in ("calm", "angry", "busy", "chatty")
    }
    assert said["calm"].startswith(scenario.question) and scenario.question in said["chatty"] and "！" in said["angry"]
    assert said["busy"].startswith("共有ノート 保存期間") and len(said["chatty"]) > 2 * len(scenario.question)
    assert first_message(Replying(WordedQuestion(text="x")), Plan(bot="komachi"), CASE, {}) == "期限は?"


def first_words(store: Store, run: str) -> Iterator[tuple[str, str]]:
    """The scenario's question and what was sent for it, by conversation."""
    for row in store.conversations.of_run(run):
        yield row.question, store.conversations.turns(row.id)[0].user_text


@pytest.mark.usefixtures("short_waits")
def test_a_model_s_run_words_its_questions_and_a_rerun_sends_the_same_words(
    bot: Bot, store: Store, tmp_path: Path
) -> None:
    with serving(ModelServer()) as server:
        worded = iter(range(100))
        server.script = []
        engine = engine_on(server, store)
        plain = engine.ask

        def ask(prompt: Any) -> Any:
            if isinstance(prompt, FirstMessage):
                return WordedQuestion(text=f"{prompt.scenario.question} #{next(worded)}")
            return plain(prompt)

        engine.ask = ask  # pyright: ignore
        runner = Runner(store, Indexes(tmp_path / "chroma"), engine)
        run = runner.start(Plan(bot=bot.id, seed=1, judges=(), max_turns=2))
        assert runner.wait(run, 60)
        said = dict(first_words(store, run))
        assert said and all(text.startswith(f"{question} #") for question, text in said.items())
        row = store.runs.get(run)
        assert row and row.plan["first_message"] == "persona" and rerun_plan(row).first_messages_from_run == run
        rerun = runner.start(rerun_plan(row))
        assert runner.wait(rerun, 60) and dict(first_words(store, rerun)) == said
        questions = bot.folder / "questions.csv"
        heading, first, *others = questions.read_text("utf-8").splitlines()
        questions.write_text(
            "\n".join((heading, *reversed(others), "q4,有給休暇は何日ですか,,,,faq,no,", first)), "utf-8"
        )
        moved = runner.start(rerun_plan(row))
        assert runner.wait(moved, 60)
        after = dict(first_words(store, moved))
        assert {question: after[question] for question in said} == said
        assert after["有給休暇は何日ですか"] not in said.values()
        single = runner.start(Plan(bot=bot.id, seed=1, judges=(), max_turns=1))
        assert runner.wait(single, 60) and all(question == text for question, text in first_words(store, single))
        runner.close()


def test_the_embedded_engine_sends_the_questions_as_they_are(bot: Bot, store: Store, tmp_path: Path) -> None:
    runner = Runner(store, Indexes(tmp_path / "chroma"), EmbeddedEngine())
    run = runner.start(Plan(bot=bot.id, seed=1, judges=()))
    assert runner.wait(run, 60) and all(question == text for question, text in first_words(store, run))
    row = store.runs.get(run)
    assert (
        row
        and json.dumps(row.plan)
        and row.plan["first_message"] == "plain"
        and rerun_plan(row).first_messages_from_run == ""
    )
    runner.close()
