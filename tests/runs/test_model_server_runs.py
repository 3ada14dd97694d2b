"""Runs on a model server: nothing is lost to its faults, nothing is paid for twice, and no budget is passed."""

from __future__ import annotations

import json
import threading
import time

import pytest

from core.analysis.run_means import summarise
from core.base.bot_edits import save_bot
from core.base.call_context import in_context
from core.base.errors import BadInput, ConnectionFailed
from core.base.types import Answer, Bot, Clarify
from core.bot.turn import TurnOptions, take_turn
from core.chats.chats import Chats
from core.llm.embedded import EmbeddedEngine
from core.llm.openai_engine import OpenAIEngine
from core.llm.prices import Price, Prices
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from tests.support.estimates import estimate
from tests.support.model_replies import completion
from tests.support.model_server import Handler, ModelServer, engine_on, serving
from tests.support.server_faults import ERRORS, EVERYTHING
from tests.support.whole_runs import carry_out

pytestmark = pytest.mark.usefixtures("short_waits")
ASSESSED = '{"clarity":1,"is_question":1,"is_consultation":5,"in_internal_docs":1,"ask_person":5}'
SIXTY = Plan(bot="komachi", cross=True, repeats=10, max_turns=2, concurrency=8)


def test_sixty_conversations_with_a_misbehaving_server(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    with serving(ModelServer(faults=EVERYTHING, share=0.2, seed=7)) as server:
        run_id = carry_out(store, small_indexes, bot, engine_on(server, store), SIXTY)
        progress = store.runs.progress(run_id)
        assert (progress.status, progress.done + progress.failed, progress.running) == ("done", 60, 0)
        assert all(row.error for row in store.conversations.of_run(run_id, "failed"))
        assert set(server.faults_given) >= {fault.name for fault in EVERYTHING} and server.invalid == []

        frame = store.records.score_frame(run_id)
        assert len(frame) == 6 * progress.turns  # every turn has its six verdicts, or the reasons why not
        lost = frame["value"].isna()
        assert all(frame.loc[lost, "error"] != "") and all(frame.loc[~lost, "error"] == "")
        summary = summarise(frame, store.conversations.of_run(run_id))
        turns = frame[frame["criterion"] == "overall"]
        means = turns.dropna(subset="value").groupby("conversation")["value"].mean()
        assert summary.score == pytest.approx(means.mean())
        assert summary.unscored == turns["value"].isna().sum()
        assert store.calls.spending(run_id).failed and store.calls.spending(run_id).retries

        usable = {call.key for call in store.calls.newest(run_id, limit=100_000) if not call.error}
        second_run = carry_out(store, small_indexes, bot, engine_on(server, store), SIXTY)
        repeated = [call for call in store.calls.newest(second_run, limit=100_000) if call.key in usable]
        assert repeated == []


def test_the_second_run_makes_no_call(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    passing = [fault for fault in EVERYTHING if fault.name != "refusal"]
    with serving(ModelServer(faults=passing, share=0.08, seed=3)) as server:
        engine = engine_on(server, store)
        first = carry_out(store, small_indexes, bot, engine, SIXTY)
        assert (store.runs.progress(first).done, store.records.score_frame(first)["value"].notna().all()) == (60, True)
        before = len(server.requests)
        second = carry_out(store, small_indexes, bot, engine_on(server, store), SIXTY)
        assert len(server.requests) == before and store.calls.spending(second).calls == 0
        columns = ["number", "turn", "criterion", "value", "reasons"]
        assert store.records.score_frame(second)[columns].equals(store.records.score_frame(first)[columns])


def test_what_the_model_refuses_is_listed_and_not_asked_for_again(
    store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    refusing = [fault for fault in EVERYTHING if fault.name == "refusal"]
    with serving(ModelServer(faults=refusing, share=0.1, seed=3)) as server:
        first = carry_out(store, small_indexes, bot, engine_on(server, store), SIXTY)
        progress, before = store.runs.progress(first), len(server.requests)
        failed = store.conversations.of_run(first, "failed")
        assert progress.done + progress.failed == 60 and all("refused: I cannot do that" in row.error for row in failed)
        frame = store.records.score_frame(first)
        assert len(frame) == 6 * progress.turns and all(frame.loc[frame["value"].isna(), "error"] != "")
        said = [turn for row in store.conversations.of_run(first) for turn in store.conversations.turns(row.id)]
        declined = [
            turn for turn in said if turn.reply_text.startswith("申し訳ありません。このご質問にはお答えできません。")
        ]
        assert declined and all(len(turn.scores) == 6 for turn in declined) and len(said) == progress.turns
        second = carry_out(store, small_indexes, bot, engine_on(server, store), SIXTY)
        assert len(server.requests) == before and store.calls.spending(second).calls == 0
        columns = ["number", "turn", "criterion", "value", "reasons", "error"]
        assert store.records.score_frame(second)[columns].equals(store.records.score_frame(first)[columns])


def test_a_server_that_dies_and_comes_back_loses_nothing(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    server = ModelServer()
    server.up()
    runner = Runner(store, small_indexes, engine_on(server, store, patience=30))
    try:
        server.delay = 0.01
        run_id = runner.start(SIXTY)
        until = time.monotonic() + 20
        while len(server.requests) < 60 and time.monotonic() < until:
            time.sleep(0.01)
        server.down()
        time.sleep(0.5)
        assert store.runs.progress(run_id).status == "running"
        server.up()
        assert runner.wait(run_id, 50)
        assert store.runs.progress(run_id).done == 60 and store.records.score_frame(run_id)["value"].notna().all()
        assert store.calls.spending(run_id).retries > 0
    finally:
        runner.close()
        server.down()


def test_a_server_that_is_full_gets_fewer_calls_at_a_time(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    class Full(ModelServer):
        """Takes two calls at a time."""

        def seen(self, body: dict[str, object]) -> object:
            self.share = 1.0 if self.now > 2 else 0.0
            return super().seen(body)

    with serving(Full(faults=ERRORS[:1])) as server:
        server.delay = 0.01
        run_id = carry_out(store, small_indexes, bot, engine_on(server, store, patience=30), SIXTY)
        assert store.runs.progress(run_id).done == 60 and server.faults_given["429"] < len(server.requests) / 2


def test_a_budget_stops_a_run_cleanly(server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot) -> None:
    plan = SIXTY.model_copy(update={"budget_calls": 40})
    run_id = carry_out(store, small_indexes, bot, engine_on(server, store), plan)
    row, progress = store.runs.get(run_id), store.runs.progress(run_id)
    assert row is not None and row.status == "stopped" and "budget of 40 calls is used up" in row.error
    assert store.calls.spending(run_id).calls == 40 == len(server.requests)
    assert progress.failed == 0 and progress.stopped > 0
    frame = store.records.score_frame(run_id)
    assert all(frame.loc[frame["value"].isna(), "error"] != "")


def test_a_budget_that_ends_with_the_last_verdict_is_reported(
    server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    plan = Plan(bot="komachi", limit=1, max_turns=1)
    engine = engine_on(server, store)
    for role in ("bot", "clarify", "user", "judge"):
        engine.probe(role)
    probed = len(server.requests)
    carry_out(store, small_indexes, bot, engine, plan)
    needed = len(server.requests) - probed
    assert server.requests[-1]["messages"] and {one.purpose for one in store.calls.newest()[:2]} == {
        "JudgeTurn",
        "NextMessage",
    }
    short = plan.model_copy(update={"budget_calls": needed - 2, "cache": False})
    run_id = carry_out(store, small_indexes, bot, engine, short)
    row, progress = store.runs.get(run_id), store.runs.progress(run_id)
    assert row is not None and row.status == "stopped" and "budget" in row.error
    frame = store.records.score_frame(run_id)
    assert (
        progress.turns == 1
        and frame["value"].isna().all()
        and all("budget" in shown_text for shown_text in frame["error"])
    )


def test_a_budget_of_money_needs_prices(server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot) -> None:
    engine = engine_on(server, store)
    plan = SIXTY.model_copy(update={"budget": 0.01})
    with pytest.raises(BadInput, match="no price for tiny"):
        carry_out(store, small_indexes, bot, engine, plan)
    priced = OpenAIEngine(engine.roles, store.calls, Prices(models=(Price(pattern="tiny", input=1, output=10),)))
    run_id = carry_out(store, small_indexes, bot, priced, plan)
    spent = store.calls.spending(run_id)
    assert 0.009 < spent.cost <= 0.01 and spent.unpriced == 0


def test_a_run_is_kept_with_its_models_and_without_keys(
    server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    run_id = carry_out(store, small_indexes, bot, engine_on(server, store), Plan(bot="komachi", limit=1))
    stored = store.runs.snapshot(run_id)
    assert stored["engine"] == "openai" and stored["models"]["judge"]["model"] == "tiny"
    assert server.key not in json.dumps(stored)
    calls = store.calls.newest(run_id, limit=1_000)
    assert {call.conversation_id for call in calls if call.purpose != "Probe"} == {f"{run_id}-00001"}


def test_an_estimate_gives_calls_money_and_time(
    server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    roles = engine_on(server, store).roles
    engine = OpenAIEngine(roles, store.calls, Prices(models=(Price(pattern="tiny", input=1, output=10),)))
    plan = SIXTY.model_copy(update={"repeats": 4})
    shown_text = estimate(plan, engine, small_indexes, sampled=8)
    assert (shown_text.conversations, shown_text.sampled, shown_text.known) == (24, 8, 0.0) and shown_text.seconds > 0
    assert set(shown_text.roles) == {"bot", "clarify", "user", "judge"} and shown_text.total.cost > 0
    run_id = carry_out(store, small_indexes, bot, engine, plan)
    assert 0 < store.calls.spending(run_id).calls < shown_text.total.calls  # the sampled ones are not made again
    assert shown_text.total.calls == pytest.approx(store.calls.spending().calls - 4, rel=0.25)
    assert shown_text.total.cost == pytest.approx(store.calls.spending().cost, rel=0.3)
    assert estimate(plan, engine, small_indexes, sampled=8).known == 1.0
    assert estimate(plan, EmbeddedEngine(), small_indexes).total.calls == 0


# One turn


def test_a_bot_may_route_by_functions(server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot) -> None:
    bot = save_bot(bot, {"clarify.strategy": "functions"})
    engine, index = engine_on(server, store), small_indexes.get(bot)
    searched = take_turn(engine, bot, index, (), "経費の期限は")
    assert (searched.route.rule, searched.route.decision, searched.assessment.clarity) == (6, "search", 1)
    asked = {"name": "ask_for_missing", "arguments": {"question": "どの休暇ですか。", "choices": ["年休", "看護休暇"]}}
    server.script = [json.dumps(asked)]
    turn = take_turn(engine, bot, index, (), "休暇について")
    assert turn.reply == Clarify(text="どの休暇ですか。", choices=("年休", "看護休暇"))
    assert (turn.route.rule, turn.route.reason) == (2, "missing")
    server.script = [json.dumps({"name": "hand_to_person", "arguments": {}})]
    assert take_turn(engine, bot, index, (), "苦情があります").contact is not None
    assert take_turn(EmbeddedEngine(), bot, index, (), "休暇について教えてください").route.decision == "ask"


@pytest.mark.parametrize("status", [200, 400])
def test_a_bot_whose_model_declines_says_that_it_cannot_answer(
    status: int, server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot
) -> None:
    engine, index = engine_on(server, store), small_indexes.get(bot)
    filtered = {"error": {"message": "The prompt was filtered.", "code": "content_filter"}}

    def declined(handler: Handler, body: dict[str, object]) -> None:
        if status == 400:
            handler.send(400, filtered)
        elif body.get("stream"):
            handler.stream("No.", of="refusal")
        else:
            handler.send(200, completion({"role": "assistant", "content": None, "refusal": "No."}))

    engine.probe("bot")
    for shown_text in (None, list[str]()):
        server.script = [ASSESSED, declined]
        with in_context(cache=False):
            options = TurnOptions(on_text=shown_text.append if shown_text is not None else None)
            turn = take_turn(engine, bot, index, (), "経費の期限は", options)
        assert isinstance(turn.reply, Answer) and not turn.reply.answered and "お答えできません" in turn.reply.text
        assert shown_text is None or shown_text == [turn.reply.text]


def test_a_chat_streams_and_survives_a_cut(server: ModelServer, store: Store, small_indexes: Indexes, bot: Bot) -> None:
    chats = Chats(store, small_indexes, EmbeddedEngine())
    chat, engine = store.chats.create(bot.id), engine_on(server, store)
    engine.probe("bot")
    server.script = [ASSESSED]
    server.script.append(lambda handler, body, *_: handler.stream("翌月の10日までに", cut=True))
    reply = chats.send(chat, bot, "交通費の精算の期限はいつですか", engine=engine)
    assert reply.turn(20).reply.text == "翌月の10日までに精算します。[1]"
    shown = "".join(reply.pieces())
    assert shown.startswith("翌月の") and shown.endswith("\n\n翌月の10日までに精算します。[1]")
    assert {call.conversation_id for call in store.calls.newest() if call.purpose != "Probe"} == {chat}


def test_a_chat_soon_reports_a_missing_server(
    store: Store, small_indexes: Indexes, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.chats.chats.INTERACTIVE_PATIENCE", 0.1)
    server = ModelServer()
    server.up()
    server.down()
    chats, chat = Chats(store, small_indexes, engine_on(server, store, patience=600)), store.chats.create(bot.id)
    with pytest.raises(ConnectionFailed, match="Is it running"):
        chats.send(chat, bot, "交通費の精算の期限はいつですか").turn(60)
    stored = json.loads(store.chats.turns(chat)[0].error)
    assert stored["key"] == "unreachable" and stored["details"]["server"] == server.url
    assert store.calls.newest()[0].retries < 6


def test_stopping_a_run_does_not_wait_for_a_dead_server(store: Store, small_indexes: Indexes, bot: Bot) -> None:
    server = ModelServer()
    server.up()
    server.down()
    runner = Runner(store, small_indexes, engine_on(server, store, patience=60))
    run_id = runner.start(SIXTY)
    threading.Timer(0.3, runner.stop, (run_id,)).start()
    assert runner.wait(run_id, 10)
    progress = store.runs.progress(run_id)
    assert (progress.status, progress.failed) == ("stopped", 0)
    runner.close()
