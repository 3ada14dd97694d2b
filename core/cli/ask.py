"""`ask`: one turn of a bot."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from core.cli.options import add_engine_options, engine_of, interactive_calls

if TYPE_CHECKING:
    from core.base.types import Turn


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """The command and its options."""
    ask = commands.add_parser("ask", help="ask a bot and print its reply")
    ask.add_argument("text", help="the message")
    ask.add_argument("--bot", required=True)
    ask.add_argument("--history", metavar="FILE", help="earlier messages as JSON Lines of {role, text}")
    ask.add_argument("--json", action="store_true", help="print the turn as JSON")
    add_engine_options(ask)
    return ask


def run(arguments: argparse.Namespace) -> int:
    """Print the reply of a bot to a message."""
    from core.base.bot_folder import load_bot
    from core.bot.turn import check_message, take_turn
    from core.cli.json_lines import read_rows
    from core.cli.rows import MessageRow
    from core.retrieval.index import Indexes

    engine, bot = engine_of(arguments), load_bot(arguments.bot)
    text = check_message(arguments.text)
    history = read_rows(arguments.history, MessageRow) if arguments.history else ()
    with interactive_calls(arguments):
        turn = take_turn(engine, bot, Indexes().get(bot), tuple(row.message() for row in history), text)
    print(json.dumps(_as_json(turn), ensure_ascii=False) if arguments.json else _as_text(turn))
    return 0


def _as_json(turn: Turn) -> dict[str, Any]:
    asks = turn.reply.kind == "clarify"
    return {
        "decision": turn.decision or None,
        "row": turn.route.row if turn.route else None,
        "assessment": turn.assessment.model_dump() if turn.assessment else None,
        "reply": turn.reply.text,
        "choices": list(turn.reply.choices) if turn.reply.kind == "clarify" else [],
        "query": "" if asks else turn.query,
        "sources": _sources(turn),
        "answered": turn.reply.answered if turn.reply.kind == "answer" else False,
    }


def _sources(turn: Turn) -> list[dict[str, Any]] | None:
    """The passages that the bot saw, best first; none if the bot does not tell, and no score if it tells none."""
    if turn.passages is None:
        return None
    scores = [hit.score for hit in turn.hits] if turn.hits is not None else [None] * len(turn.passages)
    return [
        {"document": one.document, "heading": one.heading or one.title, "text": one.text, "score": score}
        for one, score in zip(turn.passages, scores, strict=True)
    ]


def _as_text(turn: Turn) -> str:
    """The reply as a person reads it, with the choices or the sources."""
    if turn.reply.kind == "clarify":
        return "\n".join([turn.reply.text, *(f"- {choice}" for choice in turn.reply.choices)])
    passages = turn.passages or ()
    cited = [(number, passages[number - 1]) for number in turn.reply.cited]
    sources = [f"[{number}] {passage.document} · {passage.heading}" for number, passage in cited]
    return "\n".join([turn.reply.text, *([""] if sources else []), *sources])
