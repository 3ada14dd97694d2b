"""Runs and chats go on by themselves, lose nothing, and turn errors into rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answer.answer import Answering
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.settings import ROOT
from core.base.types import Bot, Message, Persona, Scenario, Turn, UserMessage
from core.judge.turn import JudgeTurn
from core.llm.embedded import EmbeddedEngine
from core.report.summary import summarise
from core.retrieve.index import Indexes
from core.run.batch import Batches
from core.run.chat import Chats, messages_of
from core.run.dialogue import Outcome, hold_dialogue
from core.run.plan import Plan, make_pairs
from core.store.store import Store
from tests.small import Gated, Stumbling, a_turn, small_bot

SCENARIOS = [Scenario(id=f"q{n}", question=f"{n}?") for n in range(1, 31)]
PERSONAS = [Persona(id=name, name=name) for name in ("angry", "calm", "busy")]


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    return small_bot(tmp_path / "knowledge")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'data' / 'kiku.db'}")


@pytest.fixture
def indexes(tmp_path: Path) -> Indexes:
    return Indexes(tmp_path / "chroma")


def batches_of(store: Store, indexes: Indexes, bot: Bot, engine: Engine | None = None) -> Batches:
    return Batches(store, indexes, engine or EmbeddedEngine(), bot.folder.parent)


@pytest.fixture
def batches(store: Store, indexes: Indexes, bot: Bot) -> Iterator[Batches]:
    batches = batches_of(store, indexes, bot)
    yield batches
    batches.close()


def said_in(store: Store, run_id: str) -> list[object]:
    """Everything of a run but its times."""
    return [
        (row.number, row.scenario_id, row.persona_id, row.status, row.ending, row.closing, [
            (turn.user_text, turn.reply_text, turn.query, turn.row,
             [(s.criterion, s.value, s.label, s.reasons) for s in turn.scores])
            for turn in store.transcript(row.id)
        ])
        for row in store.conversations(run_id)
    ]  # fmt: skip


# The plan


def test_crossing_lets_every_persona_ask_every_question() -> None:
    cases = make_pairs(Plan(bot="b", cross=True, repeats=2), SCENARIOS, PERSONAS)
    assert len({(case.scenario.id, case.persona.id, case.repeat) for case in cases}) == 30 * 3 * 2
    assert [case.number for case in cases] == list(range(1, 181))


def test_the_same_seed_draws_the_same_personas_and_another_seed_others() -> None:
    first, again, other = (make_pairs(Plan(bot="b", seed=seed), SCENARIOS, PERSONAS) for seed in (1, 1, 2))
    assert first == again and first != other
    assert {case.persona.id for case in first} == {"angry", "calm", "busy"} and len(first) == 30


def test_a_new_question_changes_no_other_draw() -> None:
    before = make_pairs(Plan(bot="b", seed=1), SCENARIOS[1:], PERSONAS)
    after = make_pairs(Plan(bot="b", seed=1), SCENARIOS, PERSONAS)
    assert [case.persona for case in before] == [case.persona for case in after[1:]]


def test_a_question_that_names_its_persona_gets_it() -> None:
    named = SCENARIOS[0].model_copy(update={"persona": "busy"})
    for seed in range(5):
        assert make_pairs(Plan(bot="b", seed=seed, personas=("calm",)), [named], PERSONAS)[0].persona.id == "busy"


def test_a_limit_picks_by_the_seed() -> None:
    picked = make_pairs(Plan(bot="b", seed=1, limit=5), SCENARIOS, PERSONAS)
    assert len(picked) == 5 and [case.number for case in picked] == [1, 2, 3, 4, 5]
    assert picked == make_pairs(Plan(bot="b", seed=1, limit=5), SCENARIOS, PERSONAS)
    assert picked != make_pairs(Plan(bot="b", seed=2, limit=5), SCENARIOS, PERSONAS)


def test_repeats_of_a_case_have_seeds_of_their_own() -> None:
    cases = make_pairs(Plan(bot="b", repeats=3), SCENARIOS[:1], PERSONAS[:1])
    assert len({case.seed(7) for case in cases}) == 3 and cases[0].seed(7) != cases[0].seed(8)


@pytest.mark.parametrize(
    ("plan", "key"),
    [
        (Plan(bot="b", scenarios=("q1", "nothing")), "unknown_scenario"),
        (Plan(bot="b", personas=("nobody",)), "unknown_persona"),
    ],
)
def test_a_plan_that_names_what_is_not_there_is_told(plan: Plan, key: str) -> None:
    with pytest.raises(BadInput) as told:
        make_pairs(plan, SCENARIOS, PERSONAS)
    assert told.value.key == key


def test_a_plan_without_questions_or_personas_is_told() -> None:
    with pytest.raises(BadInput, match="no questions"):
        make_pairs(Plan(bot="b"), [], PERSONAS)
    with pytest.raises(BadInput, match="no personas"):
        make_pairs(Plan(bot="b"), SCENARIOS, [])


# One conversation


def talk(replies: list[str], says: list[UserMessage], max_turns: int = 3) -> tuple[Outcome, list[tuple[int, str, str]]]:
    heard: list[tuple[int, str, str]] = []

    def bot(said: tuple[Message, ...], text: str) -> Turn:
        return a_turn(text, replies[len(said) // 2])

    def listen(number: int, turn: Turn, said: tuple[Message, ...], state: str) -> None:
        assert len(said) == 2 * (number - 1)
        heard.append((number, turn.message, state))

    return hold_dialogue("first", bot, lambda said: says[len(said) // 2 - 1], listen, max_turns), heard


def test_a_conversation_ends_when_the_user_has_what_they_need() -> None:
    outcome, heard = talk(["a", "b"], [UserMessage(text="and?"), UserMessage(text="thanks", ending="done")])
    assert outcome == Outcome("done", "thanks")
    assert heard == [(1, "first", "opening"), (2, "and?", "going_on")]


def test_a_conversation_ends_when_the_sheet_has_no_answer_twice() -> None:
    outcome, _ = talk(["a"], [UserMessage(text="I don't know", ending="out_of_script")])
    assert outcome.ending == "out_of_script"


def test_a_conversation_ends_after_its_last_turn_without_asking_the_user_again() -> None:
    outcome, heard = talk(["a", "b"], [UserMessage(text="and?")], max_turns=2)
    assert outcome == Outcome("max_turns") and len(heard) == 2


def test_a_customer_who_writes_done_is_not_done() -> None:
    outcome, heard = talk(["a", "b"], [UserMessage(text="DONE 完了")], max_turns=2)
    assert outcome.ending == "max_turns" and heard[1][1] == "DONE 完了"


# Runs


def test_a_run_holds_judges_and_stores_every_conversation(batches: Batches, store: Store) -> None:
    run_id = batches.start(Plan(bot="komachi", cross=True, seed=1))
    assert batches.running() == [run_id] or store.progress(run_id).status == "done"
    assert batches.wait(run_id, 60)
    now = store.progress(run_id)
    assert (now.status, now.total, now.done, now.failed) == ("done", 6, 6, 0)
    frame = store.score_frame(run_id)
    assert len(frame) == now.turns * 6 and frame["value"].notna().all()
    summary = summarise(frame, store.conversations(run_id))
    assert summary.score is not None and summary.scored_conversations == 6
    assert store.run_scores() == store.run_scores("komachi") == {run_id: pytest.approx(summary.score)}
    assert all(store.transcript(row.id)[0].user_text == row.question for row in store.conversations(run_id))
    assert batches.running() == []


def test_the_same_plan_twice_gives_the_same_transcripts_and_scores(batches: Batches, store: Store) -> None:
    plans = [Plan(bot="komachi", cross=True, seed=1, concurrency=number) for number in (1, 4)]
    runs = [batches.start(plan) for plan in plans]
    assert all(batches.wait(run, 60) for run in runs)
    assert said_in(store, runs[0]) == said_in(store, runs[1])


def test_the_same_command_in_two_processes_gives_the_same_transcripts_and_scores(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "core", "simulate", "--bot", "hinata", "--seed", "1", "--json"]
    seen: list[list[object]] = []
    for hashing in ("1", "2"):  # sets are iterated in another order in each process
        data = tmp_path / hashing
        added = {"PYTHONHASHSEED": hashing, "KIKU_DATA_DIR": str(data), "KIKU_KNOWLEDGE_DIR": str(ROOT / "knowledge")}
        done = subprocess.run(command, cwd=ROOT, env=os.environ | added, capture_output=True, text=True, check=True)
        seen.append(said_in(Store(f"sqlite:///{data / 'kiku.db'}"), json.loads(done.stdout)["run"]))
    assert len(seen[0]) > 40 and seen[0] == seen[1]


def test_a_run_keeps_a_snapshot_of_all_it_used(batches: Batches, store: Store, bot: Bot) -> None:
    run_id = batches.start(Plan(bot="komachi", seed=5))
    batches.wait(run_id, 60)
    kept = store.snapshot(run_id)
    assert kept["bot_toml"] == (bot.folder / "bot.toml").read_text("utf-8")
    assert set(kept["documents"]) == {"leave.md", "care.md", "expenses.md"}
    assert {s["id"] for s in kept["scenarios"]} == {"q1", "q2", "q3"} and kept["seed"] == 5
    assert kept["engine"] == "embedded" and kept["judges"]["turn"]


def test_a_conversation_that_fails_becomes_a_row_and_the_others_go_on(store: Store, indexes: Indexes, bot: Bot) -> None:
    engine = Stumbling(lambda prompt: isinstance(prompt, Answering) and "年次" in prompt.question)
    batches = batches_of(store, indexes, bot, engine)
    run_id = batches.start(Plan(bot="komachi", personas=("calm",), scenarios=("q1", "q3")))
    assert batches.wait(run_id, 60)
    (failed,) = store.conversations(run_id, "failed")
    assert (failed.scenario_id, failed.error) == ("q3", "RuntimeError: the model fell over")
    assert store.progress(run_id).done == 1
    summary = summarise(store.score_frame(run_id), store.conversations(run_id))
    assert (summary.failed, summary.scored_conversations) == (1, 1)
    batches.close()


def test_a_judge_that_fails_leaves_unscored_turns_and_no_zero(store: Store, indexes: Indexes, bot: Bot) -> None:
    engine = Stumbling(lambda prompt: isinstance(prompt, JudgeTurn))
    batches = batches_of(store, indexes, bot, engine)
    run_id = batches.start(Plan(bot="komachi", scenarios=("q1",)))
    assert batches.wait(run_id, 60)
    assert store.progress(run_id).done == 1
    frame = store.score_frame(run_id)
    assert frame["value"].isna().all() and set(frame["error"]) == {"RuntimeError: the model fell over"}
    summary = summarise(frame, store.conversations(run_id))
    assert (summary.score, summary.unscored, summary.scored_conversations) == (None, summary.turns, 0)
    batches.close()


def test_an_index_that_cannot_be_built_fails_every_conversation_with_the_reason(
    store: Store, tmp_path: Path, bot: Bot
) -> None:
    (tmp_path / "taken").write_text("")
    batches = batches_of(store, Indexes(tmp_path / "taken"), bot)
    run_id = batches.start(Plan(bot="komachi"))
    assert batches.wait(run_id, 60)
    run = store.run(run_id)
    assert run is not None and "taken" in run.error and store.progress(run_id).failed == 3
    batches.close()


def test_a_stopped_run_keeps_what_is_finished_and_ends_soon(store: Store, indexes: Indexes, bot: Bot) -> None:
    engine = Gated()
    batches = batches_of(store, indexes, bot, engine)
    run_id = batches.start(Plan(bot="komachi", cross=True, concurrency=2))
    assert engine.asked.wait(20)
    batches.stop(run_id)
    batches.stop("nowhere")
    engine.gate.set()
    assert batches.wait(run_id, 20)
    now = store.progress(run_id)
    assert (now.status, now.failed, now.running, now.waiting) == ("stopped", 0, 0, 0) and now.stopped >= 4
    assert store.score_frame(run_id)["turn"].nunique() <= 1
    batches.close()


def test_closing_the_server_interrupts_its_runs(store: Store, indexes: Indexes, bot: Bot) -> None:
    engine = Gated()
    batches = batches_of(store, indexes, bot, engine)
    run_id = batches.start(Plan(bot="komachi"))
    assert engine.asked.wait(20)
    engine.gate.set()
    batches.close()
    run = store.run(run_id)
    assert run is not None and run.status in ("interrupted", "done")


def test_a_run_of_a_killed_process_is_found_interrupted_and_a_living_one_is_left_alone(
    store: Store, indexes: Indexes, bot: Bot
) -> None:
    program = (
        "import os, sys; from pathlib import Path; from tests.small import Gated; from core.run.batch import Batches\n"
        "from core.run.plan import Plan; from core.store.store import Store; from core.retrieve.index import Indexes\n"
        "store = Store(sys.argv[1]); engine = Gated()\n"
        "batches = Batches(store, Indexes(Path(sys.argv[2])), engine, Path(sys.argv[3]))\n"
        "print(batches.start(Plan(bot='komachi')), flush=True); engine.asked.wait(20); os.kill(os.getpid(), 9)\n"
    )
    command = [sys.executable, "-c", program, str(store.db.engine.url), str(indexes._folder), str(bot.folder.parent)]
    living = batches_of(store, indexes, bot, engine := Gated())
    alive = living.start(Plan(bot="komachi"))
    assert engine.asked.wait(20)
    killed = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()
    before = store.run(killed)
    assert before is not None and before.status == "running"
    Batches(store, indexes, EmbeddedEngine(), bot.folder.parent).close()
    after, other = store.run(killed), store.run(alive)
    assert after is not None and after.status == "interrupted"
    assert other is not None and other.status == "running"
    engine.gate.set()
    assert living.wait(alive, 20)
    living.close()


@pytest.mark.parametrize(
    ("changes", "key"), [({"bot": "nowhere"}, "no_bot"), ({"judges": ("oracle",)}, "unknown_judge")]
)
def test_a_run_that_cannot_begin_leaves_no_row(
    batches: Batches, store: Store, changes: dict[str, object], key: str
) -> None:
    with pytest.raises(BadInput) as told:
        batches.start(Plan(bot="komachi").model_copy(update=changes))
    assert told.value.key == key and store.runs() == []


# Chats


def test_a_reply_comes_in_pieces_and_is_stored(store: Store, indexes: Indexes, bot: Bot) -> None:
    chats = Chats(store, indexes, EmbeddedEngine())
    chat = store.new_chat(bot.id)
    reply = chats.send(chat, bot, "交通費の精算の期限はいつですか")
    assert "".join(reply.pieces()) == reply.turn(20).reply.text == "".join(reply.pieces())
    (row,) = store.chat_messages(chat)
    assert row.turn is not None and row.reply_text == reply.turn().reply.text and chats.reply(chat) is None


def test_a_reply_is_found_again_while_it_is_made(store: Store, indexes: Indexes, bot: Bot) -> None:
    engine = Gated()
    chats = Chats(store, indexes, engine)
    chat = store.new_chat(bot.id)
    first = chats.send(chat, bot, "交通費の精算の期限はいつですか")
    assert engine.asked.wait(20)
    assert chats.reply(chat) is first and not first.done
    assert chats.send(chat, bot, "交通費の精算の期限はいつですか") is first
    assert store.chat_messages(chat)[0].turn is None
    with pytest.raises(TimeoutError):
        first.turn(0.01)
    engine.gate.set()
    assert first.turn(20).reply.text and len(store.chat_messages(chat)) == 1


def test_what_was_said_before_is_part_of_the_next_turn(store: Store, indexes: Indexes, bot: Bot) -> None:
    chats = Chats(store, indexes, EmbeddedEngine())
    chat = store.new_chat(bot.id)
    asked = chats.send(chat, bot, "休暇について教えてください").turn(20)
    assert asked.route.decision == "ask"
    answered = chats.send(chat, bot, "子の看護休暇の日数です").turn(20)
    assert answered.route.decision == "search" and "看護" in answered.query
    assert [message.role for message in messages_of(store.chat_messages(chat))] == ["user", "assistant"] * 2


def test_a_reply_that_fails_is_a_row_and_the_chat_goes_on(store: Store, indexes: Indexes, bot: Bot) -> None:
    chats = Chats(
        store, indexes, Stumbling(lambda prompt: isinstance(prompt, Answering) and "交通費" in prompt.question)
    )
    chat = store.new_chat(bot.id)
    failed = chats.send(chat, bot, "交通費の精算の期限はいつですか")
    with pytest.raises(RuntimeError):
        failed.turn(20)
    assert list(failed.pieces()) == []
    assert store.chat_messages(chat)[0].error == "RuntimeError: the model fell over"
    assert chats.send(chat, bot, "年次有給休暇は入社からどれくらいで何日つきますか").turn(20).reply.text
    assert [row.number for row in store.chat_messages(chat)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "key"), [("", "empty_message"), (" \n　", "empty_message"), ("あ" * 20_000, "long_message")]
)
def test_a_message_that_cannot_be_read_is_told_and_not_stored(
    store: Store, indexes: Indexes, bot: Bot, text: str, key: str
) -> None:
    chat = store.new_chat(bot.id)
    with pytest.raises(BadInput) as told:
        Chats(store, indexes, EmbeddedEngine()).send(chat, bot, text)
    assert told.value.key == key and store.chat_messages(chat) == []


@pytest.mark.parametrize("text", ["😀😀😀", "<b>$x^2$</b> **[a](javascript:alert(1))**", "\x00\u200b!?"])
def test_a_strange_message_is_a_turn_like_any_other(store: Store, indexes: Indexes, bot: Bot, text: str) -> None:
    chat = store.new_chat(bot.id)
    turn = Chats(store, indexes, EmbeddedEngine()).send(chat, bot, text).turn(20)
    assert turn.reply.text and store.chat_messages(chat)[0].user_text == text
