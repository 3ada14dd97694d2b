"""What a bot is told of earlier conversations, if the person allows it; scores and query in one call."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.base.types import Answer, Bot, Message, Profile
from core.bot.clarify.assess import AssessAndRewrite, AssessmentWithQueries
from core.bot.earlier_conversations import earlier_text
from core.bot.turn import TurnOptions, take_turn
from core.chats.chats import Chats, with_earlier
from core.cli import ask
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.store.store import Store
from tests.bot.test_what_reaches_the_model import CLEAR, TALK, Scripted
from tests.support.model_server import ModelServer, engine_on, serving

ANSWER = "5日です。[1]\nANSWERED: yes"
BOTH = AssessmentWithQueries(**dict(CLEAR), queries=("質問: 介護休暇は何日ですか", "申請の期限"))


@pytest.fixture
def index(bot: Bot, tmp_path: Path) -> Index:
    return Indexes(tmp_path / "index").get(bot)


def one_call(bot: Bot) -> Bot:
    return bot.model_copy(update={"clarify": bot.clarify.model_copy(update={"one_call": True})})


def test_earlier_conversations_are_a_few_short_lines_newest_first() -> None:
    talk = [Message(role="user", text="あ" * 500), Message(role="assistant", text="はい\n\nどうぞ")]
    text = earlier_text([(date(2026, 4, day), talk) for day in (4, 3, 2, 1)])
    assert [line for line in text.splitlines() if line.startswith("2026")] == ["2026-04-04", "2026-04-03", "2026-04-02"]
    assert "→ はい どうぞ" in text and len(text) < 700
    assert earlier_text([(None, [Message(role="assistant", text="ようこそ")])]) == ""


def test_earlier_chats_are_read_only_if_the_person_allows_it(bot: Bot, tmp_path: Path, store: Store) -> None:
    chats = Chats(store, Indexes(tmp_path / "index"), EmbeddedEngine())
    first = store.chats.create(bot.id)
    chats.send(first, bot, "交通費の精算の期限はいつですか").turn(60)
    second = store.chats.create(bot.id)
    assert Profile().shares_earlier is False and with_earlier(store, bot, Profile(), second).earlier == ""
    allowed = Profile(shares_earlier=True)
    text = with_earlier(store, bot, allowed, second).earlier
    assert "- 交通費の精算の期限はいつですか" in text and "→ " in text
    assert with_earlier(store, bot, allowed, first).earlier == ""  # the chat itself is no earlier one
    turn = chats.send(second, bot, "休暇について", allowed).turn(60)
    assert turn.earlier == text and store.chats.profile().earlier == ""


@pytest.mark.parametrize("strategy", ["scores", "one_call"])
def test_what_the_person_allows_reaches_every_prompt_as_data(strategy: str, bot: Bot, index: Index) -> None:
    bot = one_call(bot) if strategy == "one_call" else bot
    engine = Scripted(Assess=CLEAR, AssessAndRewrite=BOTH, Rewrite="介護休暇は何日ですか", Answering=ANSWER)
    take_turn(engine, bot, index, TALK[:2], "二つ目です", TurnOptions(Profile(earlier="2026-04-01\n- 引っ越しました")))
    assert len(engine.asked) == (2 if strategy == "one_call" else 3)
    for prompt in engine.asked.values():
        for language in ("ja", "en"):
            material = prompt.model_copy(update={"language": language}).messages()[1]
            before = material.partition("2026-04-01\n- 引っ越しました")[0]
            assert before.rstrip().rsplit("\n", 1)[-1].startswith("<<<")


def test_scores_and_queries_come_in_one_call(bot: Bot, index: Index) -> None:
    engine = Scripted(AssessAndRewrite=BOTH, Answering=ANSWER)
    turn = take_turn(engine, one_call(bot), index, TALK[:2], "二つ目です")
    assert [*engine.asked] == ["AssessAndRewrite", "Answering"] and isinstance(turn.reply, Answer)
    assert turn.query == "介護休暇は何日ですか\n申請の期限" and turn.assessment == CLEAR
    first = Scripted(Assess=CLEAR, Answering=ANSWER)
    take_turn(first, one_call(bot), index, (), "介護休暇は何日ですか")
    assert [*first.asked] == ["Assess", "Answering"]  # a single message is searched for as it stands


def test_without_a_query_the_rewriter_is_asked(bot: Bot, index: Index) -> None:
    empty = BOTH.model_copy(update={"queries": ()})
    engine = Scripted(AssessAndRewrite=empty, Rewrite="介護休暇は何日ですか", Answering=ANSWER)
    assert take_turn(engine, one_call(bot), index, TALK[:2], "二つ目です").query == "介護休暇は何日ですか"


@pytest.mark.parametrize("language", ["ja", "en"])
def test_only_the_one_call_asks_for_queries(language: Any) -> None:
    rules = AssessAndRewrite(conversation=TALK, language=language).messages()[0]
    assert "`queries`" in rules and AssessAndRewrite.reply_type() is AssessmentWithQueries


def test_the_embedded_engine_decides_and_searches_the_same_in_one_call(bot: Bot, index: Index) -> None:
    for text in ("二つ目です", "介護休暇の期限は?", "ありがとう"):
        turns = [take_turn(EmbeddedEngine(), one, index, TALK[:2], text) for one in (bot, one_call(bot))]
        assert turns[0].model_copy(update={"seconds": {}}) == turns[1].model_copy(update={"seconds": {}})


def test_a_server_gives_both_in_one_reply(bot: Bot, index: Index, tmp_path: Path) -> None:
    both = {**CLEAR.model_dump(), "queries": "1. 介護休暇は何日ですか"}
    with serving(ModelServer(script=[json.dumps(both), ANSWER])) as server:
        engine = engine_on(server, Store(f"sqlite:///{tmp_path / 'k.db'}"))
        turn = take_turn(engine, one_call(bot), index, TALK[:2], "二つ目です")
    assert turn.query == "介護休暇は何日ですか" and server.invalid == [] and not server.script


@pytest.mark.slow
def test_ask_takes_earlier_conversations_from_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from core.__main__ import main

    seen: list[Profile] = []
    plain = take_turn
    monkeypatch.setattr("core.cli.ask.take_turn", lambda *args: (seen.append(args[5].profile), plain(*args))[1])
    file = tmp_path / "earlier.jsonl"
    file.write_text(json.dumps({"role": "user", "text": "引っ越しました"}), "utf-8")
    assert main(["ask", "VPNとは", "--bot", "hinata", "--earlier", str(file), "--engine", "embedded"]) == 0
    assert seen[0].earlier == "- 引っ越しました" and ask.__doc__ and capsys.readouterr().out
