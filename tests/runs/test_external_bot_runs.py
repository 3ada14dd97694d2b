"""Whole simulations of bots that exist already: judged, resumed, estimated, and never better than what they tell."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from core.analysis.failures.entries import Failure
from core.analysis.failures.find import find_failures
from core.analysis.run_means import summarise
from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import ROOT
from core.base.translate import translator
from core.base.types import Bot, Message, Sample
from core.judges.base import JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.replay import Replacement, ReplayRequest, replay, replay_point
from core.runs.runner import Runner
from core.store.store import Store
from pages.i18n.translate import stored_error_text
from tests.support.estimates import estimate
from tests.support.external_bots import HelpDesk, external_bot, help_desk, on_http, status, with_code
from tests.support.model_server import ModelServer

JUDGES = ("turn", "correctness", "groundedness")
CODE = """def reply(message, history, conversation):
    if "看護" in str(history) + message or "休暇について" in message:
        raise ValueError("the desk is closed")
    return "交通費は翌月の10日までです。"
"""


@pytest.fixture
def home() -> Iterator[HelpDesk]:
    with help_desk() as found:
        yield found


@pytest.fixture
def runner(store: Store, small_indexes: Indexes, bot: Bot) -> Iterator[Runner]:
    runner = Runner(store, small_indexes, EmbeddedEngine())
    yield runner
    runner.close()


def test_a_simulation_of_an_http_bot_is_judged_like_any(bot: Bot, home: HelpDesk, runner: Runner, store: Store) -> None:
    on_http(bot, home)
    run = runner.start(Plan(bot="komachi", cross=True, judges=JUDGES, seed=1))
    assert runner.wait(run, 60)
    now = store.runs.progress(run)
    assert (now.status, now.done, now.failed) == ("done", 6, 0)
    frame = store.records.score_frame(run)
    assert summarise(frame, store.conversations.of_run(run)).score is not None
    assert set(frame["judge"]) == set(JUDGES)
    rows = [row for one in store.conversations.of_run(run) for row in store.conversations.turns(one.id)]
    asked = next(row for row in rows if row.decision == "ask")
    assert asked.answered is None and asked.rule is None
    untold = [score for score in asked.scores if score.judge == "groundedness"]
    assert untold and all(score.value is None and "不明" in score.error for score in untold)
    grounded = [s.value for row in rows if "交通費" in row.reply_text for s in row.scores if s.criterion == "grounded"]
    assert grounded and all(value == 1 for value in grounded)
    marks = {request["session"] for request in home.requests}
    assert marks == {f"id-{row.id}" for row in store.conversations.of_run(run)}
    assert store.calls.spending(run).calls == 0


def test_a_simulation_of_a_chat_endpoint(bot: Bot, server: ModelServer, runner: Runner, store: Store) -> None:
    server.key, server.script = "", ["交通費は翌月の10日までです。"] * 9
    external_bot(bot, f'[external]\nkind = "chat"\nurl = "{server.url}"\nmodel = "desk"\n')
    run = runner.start(Plan(bot="komachi", scenarios=("q1",), judges=JUDGES, seed=1))
    assert runner.wait(run, 60)
    row = store.conversations.turns(store.conversations.of_run(run)[0].id)[0]
    assert (row.decision, row.answered, row.rule) == ("", None, None)
    values = {score.judge: score.value for score in row.scores if score.criterion in ("correctness", "grounded")}
    assert values["groundedness"] is None and values["correctness"] is not None


def test_what_a_function_raises_is_the_row_of_its_conversation_alone(bot: Bot, runner: Runner, store: Store) -> None:
    with_code(bot, CODE)
    run = runner.start(Plan(bot="komachi", judges=JUDGES, seed=1))
    assert runner.wait(run, 60)
    now = store.runs.progress(run)
    assert (now.status, now.done, now.failed) == ("done", 2, 1)
    failed = next(row for row in store.conversations.of_run(run) if row.scenario_id == "q2")
    assert "desk.py:3" in stored_error_text(failed.error) and "the desk is closed" in stored_error_text(failed.error)
    assert stored_error_text(failed.error).endswith("コードを直してください。")


def test_what_failed_is_tried_again_and_changed_code_is_reported(bot: Bot, runner: Runner, store: Store) -> None:
    with_code(bot, CODE)
    run = runner.start(Plan(bot="komachi", seed=1))
    assert runner.wait(run, 60)
    assert store.runs.snapshot(run)["code"].keys() == {"desk.py"}
    (bot.folder / "desk.py").write_text("def reply(m, h, c):\n    return '年に5日です。'\n", "utf-8")
    resumed = runner.resume(run, retry_failed=True)
    assert (resumed.conversations, resumed.changed) == (1, ("desk.py",))
    assert runner.wait(run, 60)
    now = store.runs.progress(run)
    assert (now.status, now.done, now.failed) == ("done", 3, 0)


def test_a_run_goes_on_where_it_stopped_without_asking_twice(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store
) -> None:
    on_http(bot, home)
    home.script = [status(404)]
    run = runner.start(Plan(bot="komachi", seed=1, concurrency=1, max_turns=1))
    assert runner.wait(run, 60) and store.runs.progress(run).failed == 1
    before = len(home.requests)
    runner.resume(run, retry_failed=True)
    assert runner.wait(run, 60) and store.runs.progress(run).done == 3
    assert len(home.requests) == before + 1


def test_a_wait_beyond_all_patience_fails_the_run_s_conversations_and_the_next_run_asks_again(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store
) -> None:
    on_http(bot, home)
    home.script = [status(429, "{}", retry_after="9999")]
    plan = Plan(bot="komachi", seed=1, concurrency=1, max_turns=1)
    run = runner.start(plan)
    assert runner.wait(run, 60) and store.runs.progress(run).failed == 3
    assert len(home.requests) == 1, "who asks to be left alone is left alone"
    assert {json.loads(row.error)["key"] for row in store.conversations.of_run(run)} == {"external_wait"}
    assert "9,999" in stored_error_text(store.conversations.of_run(run)[2].error)
    other = runner.start(plan)
    assert runner.wait(other, 60) and store.runs.progress(other).done == 3
    runner.resume(run, retry_failed=True)
    assert runner.wait(run, 60) and store.runs.progress(run).done == 3


def test_clarifying_questions_cannot_be_switched_off_for_an_external_bot(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store
) -> None:
    on_http(bot, home)
    with pytest.raises(BadInput, match="decides itself when to ask") as error:
        runner.start(Plan(bot="komachi", clarify=False))
    assert error.value.key == "external_asks" and store.runs.all() == []


def test_an_estimate_counts_the_messages_to_the_bot(bot: Bot, home: HelpDesk, small_indexes: Indexes) -> None:
    on_http(bot, home)
    plan = Plan(bot="komachi", cross=True, seed=1, max_turns=1)
    found = estimate(plan, EmbeddedEngine(), small_indexes, sampled=2)
    assert (found.conversations, found.external_messages, len(home.requests)) == (6, 6, 2)
    assert found.due.calls == 0


def test_a_bot_without_documents_needs_no_index(
    bot: Bot, home: HelpDesk, small_indexes: Indexes, tmp_path: object
) -> None:
    index = small_indexes.get(on_http(bot, home))
    assert index.passages == () and index.search("休暇") == () and index.sections("休暇") == ()


def test_whether_asking_was_needed_is_unscored_where_nobody_knows_what_the_bot_saw(bot: Bot) -> None:
    said = (Message(role="user", text="経費"), Message(role="assistant", text="経費の何ですか。", asks=True))
    fields = {"question": "交通費の精算です", "answer": "どの路線の交通費ですか。", "history": said, "asked_back": True}
    judge = judges_of(("turn",), bot)[0]
    for known in (False, True):
        sample = Sample.model_validate({**fields, "contexts_known": known})
        found = {score.criterion: score for score in judge_one(EmbeddedEngine(), judge, sample, JudgeOptions())}
        assert (found["overall"].value is None) is not known
        assert found["coherence"].value is not None
    assert (
        "判断できない"
        in judge_one(
            EmbeddedEngine(), judge, Sample.model_validate({**fields, "contexts_known": False}), JudgeOptions()
        )[0].reasons
    )


def test_the_command_line_prints_what_is_known_and_null_otherwise(bot: Bot, home: HelpDesk, tmp_path: object) -> None:
    on_http(bot, home)
    assert load_bot("komachi", bot.folder.parent).external
    shown_text = _run(bot, "ask", "休暇について教えてください", "--bot", "komachi", "--json")
    turn = json.loads(shown_text.stdout)
    assert (turn["decision"], turn["row"], turn["assessment"], turn["sources"]) == ("ask", None, None, None)
    assert turn["choices"] == ["有給", "看護"] and turn["answered"] is False
    answered = json.loads(_run(bot, "ask", "交通費の期限は", "--bot", "komachi", "--json").stdout)
    assert answered["answered"] is True and answered["sources"][0]["score"] is None
    home.script = [status(404)]
    wrong = _run(bot, "ask", "交通費の期限は", "--bot", "komachi", "--json")
    assert wrong.returncode == 2 and "refused the request" in wrong.stderr and "Traceback" not in wrong.stderr


def _run(bot: Bot, *arguments: str) -> subprocess.CompletedProcess[str]:
    import os

    environment = {
        **os.environ,
        "KIKU_KNOWLEDGE_DIR": str(bot.folder.parent),
        "KIKU_DATA_DIR": str(bot.folder.parent / "data"),
    }
    return subprocess.run(
        [sys.executable, "-m", "core", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_turn_is_taken_again_but_no_stage_of_it_replaced(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store
) -> None:
    here = on_http(bot, home)
    run = runner.start(Plan(bot="komachi", scenarios=("q1",), seed=1, max_turns=1))
    assert runner.wait(run, 60)
    point = replay_point(store, store.conversations.of_run(run)[0].id, 1)
    index = Indexes().get(here)
    request = ReplayRequest(EmbeddedEngine(), here, point.before, Replacement(), ("turn",), JudgeOptions())
    replayed = replay(request, index, point)
    assert replayed.turn.reply == point.before.turn.reply if point.before.turn else False
    with pytest.raises(BadInput, match="external bot"):
        replay(request._replace(replacement=Replacement(stage="rewrite", query="q")), index, point)


def test_a_key_that_is_not_set_is_reported_in_any_language(bot: Bot, runner: Runner, store: Store) -> None:
    missing = '\n[external.headers]\nAuthorization = "Bearer ${NO_SUCH_KEY}"\n'
    external_bot(bot, f'[external]\nkind = "http"\nurl = "http://127.0.0.1:9/ask"\n{missing}')
    run = runner.start(Plan(bot="komachi", judges=("turn",), seed=1))
    assert runner.wait(run, 60)
    errors = {stored_error_text(row.error) for row in store.conversations.of_run(run)}
    assert all("NO_SUCH_KEY" in error and error.endswith("。") for error in errors) and errors


def failing_turns(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store, shown_text: bool, *replies: object
) -> list[Failure]:
    """The low turns of one conversation for each reply of the desk, about the expenses."""
    here = on_http(bot, home)
    if not shown_text:
        text = (bot.folder / "bot.toml").read_text("utf-8")
        (bot.folder / "bot.toml").write_text(text.replace('contexts = "sources"\n', ""), "utf-8")
    home.script = list(replies)
    plan = Plan(
        bot="komachi", scenarios=("q1",), repeats=len(replies), judges=JUDGES, seed=1, concurrency=1, max_turns=1
    )
    run = runner.start(plan)
    assert runner.wait(run, 60) and store.runs.progress(run).done == len(replies)
    return list(find_failures(store, run, index=Indexes().get(here)).turns)


REFUSES = {"reply": {"text": "申し訳ありません、わかりません。"}, "type": "answer", "found": False}
WRONG = {"reply": {"text": "休暇は年に5日です。"}, "type": "answer", "found": True}
HOLDS = {"content": "交通費の精算の期限は、翌月の10日までです。", "source": "expenses.md"}
OTHER = {"content": "子の看護休暇は年に5日取れます。", "title": "看護休暇", "source": "care.md"}


def test_passages_named_by_an_external_bot_show_the_cause(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store
) -> None:
    replies = [{**REFUSES, "sources": [OTHER, HOLDS]}, {**REFUSES, "sources": [OTHER]}, {**REFUSES, "sources": []}]
    replies.append({**WRONG, "sources": [HOLDS["content"], OTHER["content"]]})
    found = failing_turns(bot, home, runner, store, True, *replies)
    assert [(turn.diagnosis.cause, turn.diagnosis.why, turn.document) for turn in found] == [
        ("refused", "answer_in_passages", "expenses.md"),
        ("not_found", "query_unknown", "care.md"),
        ("not_found", "query_unknown", ""),
        ("not_used", "judged_wrong", ""),
    ]
    for language, query in (("ja", "検索クエリは不明です"), ("en", "The search query is unknown")):
        assert query in translator(language)("failures.why_query_unknown", **found[1].details(translator(language)))


def test_the_failing_stage_is_unknown_for_a_bot_that_returns_only_text(
    bot: Bot, home: HelpDesk, runner: Runner, store: Store
) -> None:
    replies = [{**REFUSES, "sources": [HOLDS]}, {**WRONG, "sources": [HOLDS]}]
    found = failing_turns(bot, home, runner, store, False, *replies)
    assert [(turn.diagnosis.cause, turn.diagnosis.why, turn.document) for turn in found] == [
        ("unknown", "stages_unknown", "")
    ] * 2
