"""What can be done about an entry: mark it, replay it, save it as a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.analysis.failures.fixed_entries import MAX_LATER_RUNS, fix_histories
from core.base.errors import BadInput, ModelError
from core.base.types import Bot, Clarify, ClarifySettings, Persona, Scenario
from core.judges.base import JudgeOptions
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.replay import Replacement, ReplayPoint, ReplayRequest, ReplayResult, replay, replay_point
from core.simulation.scenarios import read_scenarios, save_scenario
from core.store.store import Store
from tests.support.failing_turns import EXPENSES, LINE, VAGUE, answering, asking, run_with_failures, scores
from tests.support.model_server import ModelServer, engine_on

FAILING_TURN = answering("わかりません。", ("expenses.md", LINE), answered=False)
POLITE = "from core.judges.custom.python_judges import judge\n\n@judge\ndef polite(sample) -> bool:\n    return True\n"
KEY = ("refused", "expenses.md", "q1")


def test_a_mark_is_kept_replaced_and_taken_back(store: Store) -> None:
    store.fixed_entries.add("komachi", KEY, "run-1", " 見出しを足した ")
    store.fixed_entries.add("komachi", ("asked", "", "q2"), "run-1")
    store.fixed_entries.add("harbor", KEY, "run-9")
    store.fixed_entries.add("komachi", KEY, "run-2", "もう一度")
    assert [(one.key, one.run_id, one.note) for one in store.fixed_entries.of_bot("komachi")] == [
        (KEY, "run-2", "もう一度"),
        (("asked", "", "q2"), "run-1", ""),
    ]
    store.fixed_entries.remove("komachi", KEY)
    assert [one.key for one in store.fixed_entries.of_bot("komachi")] == [("asked", "", "q2")] and len(
        store.fixed_entries.of_bot("harbor")
    ) == 1


def later(store: Store, run_id: str, *turns: Any, scenario: Scenario = EXPENSES) -> None:
    run_with_failures(store, [(scenario, turns)], run_id)


def test_later_runs_show_whether_a_fix_worked(store: Store) -> None:
    later(store, "run-1", (FAILING_TURN, scores()))
    store.fixed_entries.add("komachi", KEY, "run-1")
    assert fix_histories(store, "komachi")[0].state == "not_run"
    later(store, "run-2", (FAILING_TURN, scores()), scenario=VAGUE)
    assert fix_histories(store, "komachi")[0].state == "not_run"  # the scenario was not in it
    later(store, "run-3", (FAILING_TURN, scores(None)))
    assert fix_histories(store, "komachi")[0].state == "unscored"
    later(store, "run-4", (answering("翌月の10日までです。[1]", ("expenses.md", LINE)), scores(1.0)))
    assert fix_histories(store, "komachi")[0].state == "fixed"
    later(store, "run-5", (asking(), scores()))
    history = fix_histories(store, "komachi")[0]
    assert (history.state, history.later[0].cause) == ("other_cause", "asked")
    later(store, "run-6", (FAILING_TURN, scores()))
    found = fix_histories(store, "komachi")[0]
    assert found.state == "recurred"
    assert [(one.run.id, one.state) for one in found.later] == [
        ("run-6", "recurred"),
        ("run-5", "other_cause"),
        ("run-4", "fixed"),
        ("run-3", "unscored"),
    ]


def test_runs_of_other_scenarios_do_not_push_out_what_was_seen(store: Store) -> None:
    later(store, "run-1", (FAILING_TURN, scores()))
    store.fixed_entries.add("komachi", KEY, "run-1")
    store.fixed_entries.add("komachi", ("asked", "", VAGUE.id), "run-1")
    later(store, "back", (FAILING_TURN, scores()))
    for number in range(MAX_LATER_RUNS + 2):
        later(store, f"other-{number}", (asking(said=VAGUE.question), scores()), scenario=VAGUE)
    states = {one.entry.scenario_id: one for one in fix_histories(store, "komachi")}
    assert states["q1"].state == "recurred" and [one.run.id for one in states["q1"].later] == ["back"]
    assert [one.run.id for one in states[VAGUE.id].later] == [f"other-{n}" for n in range(MAX_LATER_RUNS + 1, 1, -1)]


def test_a_run_before_the_mark_says_nothing_of_it(store: Store) -> None:
    later(store, "run-1", (FAILING_TURN, scores()))
    later(store, "run-2", (FAILING_TURN, scores()))
    store.fixed_entries.add("komachi", KEY, "run-1")
    assert fix_histories(store, "komachi")[0].later == ()


@pytest.fixture
def point(store: Store) -> ReplayPoint:
    """A second turn whose query lost what was said, and which so refused."""
    second = answering("わかりません。", query="休暇について", answered=False, said="子の看護休暇の日数です")
    run_with_failures(store, [(VAGUE, [(asking(said=VAGUE.question), scores(1.0)), (second, scores())])])
    return replay_point(store, "run-1-1", 2)


def replayed(
    bot: Bot,
    indexes: Indexes,
    point: ReplayPoint,
    engine: Any = None,
    judges: tuple[str, ...] = ("turn", "correctness"),
    **replaced: Any,
) -> ReplayResult:
    replacement = Replacement(**replaced)
    request = ReplayRequest(engine or EmbeddedEngine(), bot, point.before, replacement, judges, JudgeOptions())
    return replay(request, indexes.get(bot), point)


def test_a_replay_goes_on_where_the_turn_began(bot: Bot, small_indexes: Indexes, point: ReplayPoint) -> None:
    assert [message.text for message in point.messages] == [VAGUE.question, "どの休暇ですか。"]
    found = replayed(bot, small_indexes, point)
    assert found.turn.message == "子の看護休暇の日数です" and "看護" in found.turn.query
    marks = [
        {one.judge: one.value for one in part if one.criterion == one.judge} for part in (found.before, found.after)
    ]
    assert marks == [{"correctness": 0.0}, {"correctness": 1.0}]


def test_a_query_given_by_hand_is_what_is_searched(bot: Bot, small_indexes: Indexes, point: ReplayPoint) -> None:
    found = replayed(bot, small_indexes, point, stage="rewrite", query="交通費の精算の期限")
    assert found.turn.query == "交通費の精算の期限" and found.turn.hits[0].passage.document == "expenses.md"


def test_a_passage_given_by_hand_is_all_that_is_found(bot: Bot, small_indexes: Indexes, point: ReplayPoint) -> None:
    text = "子の看護休暇の日数は年に7日です。"
    found = replayed(bot, small_indexes, point, stage="passages", text=text)
    assert [hit.passage.text for hit in found.turn.hits] == [text] and "7日" in found.turn.reply.text


def test_a_document_chosen_is_all_that_is_found(bot: Bot, small_indexes: Indexes, point: ReplayPoint) -> None:
    found = replayed(bot, small_indexes, point, stage="document", document="expenses.md")
    assert {hit.passage.document for hit in found.turn.hits} == {"expenses.md"}


def test_clarifying_questions_can_be_switched_off_or_set(store: Store, bot: Bot, small_indexes: Indexes) -> None:
    run_with_failures(store, [(VAGUE, [(asking(said=VAGUE.question), scores())])])
    first = replay_point(store, "run-1-1", 1)
    assert isinstance(replayed(bot, small_indexes, first).turn.reply, Clarify)
    assert not isinstance(replayed(bot, small_indexes, first, stage="clarify").turn.reply, Clarify)
    never = ClarifySettings(max_questions=0)
    assert not isinstance(replayed(bot, small_indexes, first, stage="thresholds", clarify=never).turn.reply, Clarify)


def test_without_a_replacement_the_bot_asks_only_if_it_might_ask_in_the_run(
    store: Store, bot: Bot, small_indexes: Indexes
) -> None:
    plan = Plan(bot="komachi", clarify=False)
    run_with_failures(store, [(VAGUE, [(asking(said=VAGUE.question), scores())])], plan=plan)
    point = replay_point(store, "run-1-1", 1)
    assert not isinstance(replayed(bot, small_indexes, point).turn.reply, Clarify)
    assert isinstance(replayed(bot, small_indexes, point, stage="thresholds").turn.reply, Clarify)


def test_a_clarifying_question_is_scored_by_every_judge_but_those_of_answers(
    store: Store, bot: Bot, small_indexes: Indexes
) -> None:
    file = bot.folder / "judges" / "polite.py"
    file.parent.mkdir()
    file.write_text(POLITE, "utf-8")
    run_with_failures(store, [(VAGUE, [(asking(said=VAGUE.question), scores())])])
    judges = ("turn", "relevance", "correctness", "custom:polite")
    found = replayed(bot, small_indexes, replay_point(store, "run-1-1", 1), judges=judges)
    assert isinstance(found.turn.reply, Clarify)
    assert {one.judge for one in found.after if one.value is not None} == {"turn", "relevance", "custom:polite"}


def test_a_replay_is_for_the_same_person(store: Store, bot: Bot, small_indexes: Indexes, server: ModelServer) -> None:
    scenario = EXPENSES.model_copy(update={"known": "office=大阪"})
    calm = Persona(id="calm", name="落ち着いた人", known="age=34; office=東京")
    run_with_failures(store, [(scenario, [(FAILING_TURN, scores())])], calm=calm)
    replayed(bot, small_indexes, replay_point(store, "run-1-1", 1), engine_on(server, store), judges=())
    sent = "".join(str(request["messages"]) for request in server.requests)
    assert "大阪" in sent and "34" in sent and "東京" not in sent


def test_another_prompt_reaches_the_model(
    bot: Bot, small_indexes: Indexes, point: ReplayPoint, server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store)
    prompt = {"stage": "prompt", "prompt": "必ず敬語で答える", "guidelines": "短く"}
    found = replayed(bot, small_indexes, point, engine, **prompt)
    sent = [str(request["messages"]) for request in server.requests]
    assert any("必ず敬語で答える" in text for text in sent) and found.turn.reply.text
    assert any(one.value is not None for one in found.after)


def test_a_model_that_refuses_is_reported_and_nothing_is_changed(
    bot: Bot, small_indexes: Indexes, point: ReplayPoint, server: ModelServer, store: Store
) -> None:
    engine = engine_on(server, store, openai_api_key="sk-wrong")
    with pytest.raises(ModelError) as error:
        replayed(bot, small_indexes, point, engine)
    assert error.value.key == "wrong_key" and store.conversations.turns("run-1-1")[1].reply_text == "わかりません。"


@pytest.mark.parametrize(
    ("replaced", "key"),
    [
        ({"stage": "rewrite", "query": " "}, "empty_query"),
        ({"stage": "passages", "text": ""}, "empty_text"),
        ({"stage": "document", "document": "gone.md"}, "no_such_document"),
    ],
)
def test_what_cannot_be_replaced_is_reported(
    bot: Bot, small_indexes: Indexes, point: ReplayPoint, replaced: dict[str, Any], key: str
) -> None:
    with pytest.raises(BadInput) as error:
        replayed(bot, small_indexes, point, **replaced)
    assert error.value.key == key


def test_a_turn_that_is_not_there_cannot_be_replayed(store: Store) -> None:
    with pytest.raises(BadInput) as error:
        replay_point(store, "nowhere", 1)
    assert error.value.key == "nothing_to_replay"


NEW = Scenario(id="q1", question="交通費はいつまで?", reference="10日まで", persona="calm", needs_asking=False)


def test_a_saved_scenario_is_a_row_of_its_own(bot: Bot) -> None:
    before = read_scenarios(bot)
    stored = save_scenario(bot, NEW)
    assert stored.id == "q1-2" and read_scenarios(bot) == [*before, stored]
    assert save_scenario(bot, NEW.model_copy(update={"question": "経費はいつまで?"})).id == "q1-3"
    assert save_scenario(bot, NEW.model_copy(update={"id": "", "question": "旅費は?"})).id == "saved"


def test_the_same_scenario_is_noticed_and_may_be_replaced(bot: Bot) -> None:
    same = read_scenarios(bot)[0].model_copy(update={"reference": "翌月の15日までです。"})
    text = (bot.folder / "questions.csv").read_text("utf-8")
    with pytest.raises(BadInput) as error:
        save_scenario(bot, same)
    assert error.value.key == "same_scenario" and (bot.folder / "questions.csv").read_text("utf-8") == text
    assert save_scenario(bot, same, replace=True).id == "q1"
    assert next(row.reference for row in read_scenarios(bot)) == "翌月の15日までです。"
    assert len(read_scenarios(bot)) == 3


def test_saving_keeps_what_judges_need_where_the_file_has_a_column_for_it(bot: Bot) -> None:
    file: Path = bot.folder / "questions.csv"
    file.write_text("id,question,evidence,note\nq1,期限は？,10日まで。,大事\n", "utf-8")
    save_scenario(bot, NEW.model_copy(update={"evidence": "交通費は10日まで。"}))
    assert [row.evidence for row in read_scenarios(bot)] == ["10日まで。", "交通費は10日まで。"]
    assert "大事" in file.read_text("utf-8")


def test_a_scenario_without_a_question_is_reported(bot: Bot) -> None:
    with pytest.raises(BadInput) as error:
        save_scenario(bot, Scenario(id="x", question=" "))
    assert error.value.key == "no_question_to_save"
