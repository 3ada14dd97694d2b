"""`assess`: how clear messages are, and whether a bot would ask or search."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.base.call_context import in_context
from core.base.prompt import Engine
from core.base.types import Bot, ClarifySettings, Message, Profile
from core.bot.clarify.assess import Assess
from core.bot.clarify.routing import route_by_rules
from core.bot.decision import decide
from core.bot.embedded.assessment import assess
from core.bot.turn_context import TurnContext, turn_context, user_facts
from core.cli.input_rows import TextOrMessagesRow
from core.cli.json_lines import map_rows, read_rows, write_rows
from core.cli.options import engine_of, interactive_calls, load_checked_bot
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.conversation import count_clarifying_questions
from core.text.language import language_of


def run(arguments: argparse.Namespace) -> int:
    """Write the assessment of each message, and what it leads to."""
    engine = engine_of(arguments)
    rows = read_rows(arguments.input, TextOrMessagesRow)
    bot = load_checked_bot(arguments.bot) if arguments.bot else None
    index = Indexes().get(bot) if bot else None
    empty = {"assessment": None, "row": None, "decision": None, "ask": ""}
    with interactive_calls(arguments):
        results = map_rows(rows, lambda row: _assess(engine, bot, index, row.conversation()), empty, engine)
    write_rows(arguments.output, results)
    return 0


def _assess(engine: Engine, bot: Bot | None, index: Index | None, conversation: tuple[Message, ...]) -> dict[str, Any]:
    if bot and index:
        with in_context(prompts=bot.prompts):
            assessment, chosen, _ = decide(engine, turn_context(bot, index, conversation))
    else:
        context = _without_bot(conversation)
        language = context.bot.language
        prompt = Assess(conversation=conversation, language=language, without_model_reply=lambda: assess(context))
        assessment = engine.ask(prompt)
        chosen = route_by_rules(assessment, context.bot.clarify, asked=context.questions_asked)
    return {"assessment": assessment.model_dump(), "row": chosen.rule, "decision": chosen.decision, "ask": chosen.ask}


def _without_bot(conversation: tuple[Message, ...]) -> TurnContext:
    """What is known of a turn without a bot: there are no documents to look into."""
    language, settings = language_of(conversation[-1].text, "ja"), ClarifySettings(look_first=False)
    bot = Bot(id="", folder=Path(), name="", language=language, clarify=settings)
    index, asked = Index((), language, ""), count_clarifying_questions(conversation)
    return TurnContext(bot, index, Profile(), conversation, user_facts(index, conversation), (), asked)
