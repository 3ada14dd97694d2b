"""The commands around one turn: ask, assess, rewrite."""

from __future__ import annotations

import argparse
import json
from typing import Self

from pydantic import model_validator

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Answer, Assessment, Bot, Clarify, ClarifySettings, Message, Profile, Turn
from core.bot import turn as turns
from core.bot.clarify.assess import Assess
from core.bot.clarify.routing import route
from core.bot.rewrite.rewrite import rewrite
from core.cli.json_lines import Json, Row, Said, each, read_rows, write_rows
from core.retrieval.index import Index, Indexes
from core.text.conversation import count_clarifying_questions
from core.text.language import language_of


class Asked(Row):
    """A message, or a conversation that ends with one."""

    text: str | None = None
    messages: tuple[Said, ...] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.text is None) == (self.messages is None):
            raise ValueError("give either text or messages")
        return self

    def conversation(self) -> tuple[Message, ...]:
        """The messages, the last one by the user and readable; raises BadInput otherwise."""
        if self.text is not None:
            return (Message(role="user", text=turns.check_message(self.text)),)
        return _ending_with_user(tuple(said.message() for said in self.messages or ()))


class Conversation(Row):
    """A conversation that ends with a message of the user."""

    messages: tuple[Said, ...]


def ask(arguments: argparse.Namespace, engine: Engine) -> int:
    """One turn of a bot."""
    bot = load_bot(arguments.bot)
    text = turns.check_message(arguments.text)
    before = tuple(said.message() for said in read_rows(arguments.history, Said)) if arguments.history else ()
    turn = turns.take_turn(engine, bot, Indexes().get(bot), before, text)
    print(json.dumps(_told(turn), ensure_ascii=False) if arguments.json else _spoken(turn))
    return 0


def assess(arguments: argparse.Namespace, engine: Engine) -> int:
    """Score messages, and say where the bot would go."""
    rows = read_rows(arguments.input, Asked)
    bot = load_bot(arguments.bot) if arguments.bot else None
    index = Indexes().get(bot) if bot else None
    empty = {"assessment": None, "row": None, "decision": None, "ask": ""}
    write_rows(arguments.output, each(rows, lambda row: _assessed(engine, bot, index, row.conversation()), empty))
    return 0


def rewrite_all(arguments: argparse.Namespace, engine: Engine) -> int:
    """Make one standalone question of each conversation."""
    rows = read_rows(arguments.input, Conversation)

    def work(row: Conversation) -> Json:
        return {"query": rewrite(engine, _ending_with_user(tuple(said.message() for said in row.messages)))}

    write_rows(arguments.output, each(rows, work, {"query": ""}))
    return 0


def _ending_with_user(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    if not messages or messages[-1].role != "user":
        raise BadInput("The last message of the conversation is not from the user. Add one.", "no_user_message")
    turns.check_message(messages[-1].text)
    return messages


def _assessed(engine: Engine, bot: Bot | None, index: Index | None, conversation: tuple[Message, ...]) -> Json:
    if bot and index:
        topics = turns.find_topics(index, conversation) if bot.clarify.look_first else ()
        found: Assessment = turns.assess(engine, bot, conversation, topics, Profile())
    else:
        found = engine.ask(Assess(conversation=conversation, language=language_of(conversation[-1].text, "ja")))
    chosen = route(found, bot.clarify if bot else ClarifySettings(), asked=count_clarifying_questions(conversation))
    return {"assessment": found.model_dump(), "row": chosen.row, "decision": chosen.decision, "ask": chosen.ask}


def _told(turn: Turn) -> Json:
    asks = isinstance(turn.reply, Clarify)
    return {
        "decision": turn.decision or None,
        "row": turn.route.row if turn.route else None,
        "assessment": turn.assessment.model_dump() if turn.assessment else None,
        "reply": turn.reply.text,
        "choices": list(turn.reply.choices) if isinstance(turn.reply, Clarify) else [],
        "query": "" if asks else turn.query,
        "sources": _sources(turn),
        "answered": turn.reply.answered if isinstance(turn.reply, Answer) else False,
    }


def _sources(turn: Turn) -> list[Json] | None:
    """What the bot saw, best first; none where it does not tell, and no score where it tells none."""
    if turn.passages is None:
        return None
    scores = [hit.score for hit in turn.hits] if turn.hits is not None else [None] * len(turn.passages)
    return [
        {"document": one.document, "heading": one.heading or one.title, "text": one.text, "score": score}
        for one, score in zip(turn.passages, scores, strict=True)
    ]


def _spoken(turn: Turn) -> str:
    """The reply as a person reads it, with what can be chosen or what was cited."""
    if isinstance(turn.reply, Clarify):
        return "\n".join([turn.reply.text, *(f"- {choice}" for choice in turn.reply.choices)])
    seen = turn.passages or ()
    cited = [(number, seen[number - 1]) for number in turn.reply.cited]
    sources = [f"[{number}] {passage.document} · {passage.heading}" for number, passage in cited]
    return "\n".join([turn.reply.text, *([""] if sources else []), *sources])
