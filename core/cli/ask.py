"""`ask`: one turn of a bot, or one for each row of a file."""

from __future__ import annotations

import argparse
import gc
import json
from typing import Any

from core.base.clean_text import without_control_characters
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Bot, Turn
from core.bot.earlier_conversations import earlier_text
from core.bot.profile import profile_of, read_pairs
from core.bot.turn import TurnOptions, check_message, take_turn
from core.cli.input_rows import MessageRow, TextOrMessagesRow
from core.cli.json_lines import map_rows, read_rows, write_rows
from core.cli.options import engine_of, interactive_calls, load_checked_bot, warn_of_left_out
from core.retrieval.index_cache import Indexes
from core.text.markdown import without_bold

_KEYS = ("decision", "row", "assessment", "reply", "choices", "query", "sources", "answered")


def run(arguments: argparse.Namespace) -> int:
    """Print the reply of a bot to a message; with --in write the turns of all rows of a file.

    For one message no garbage is looked for: the process ends after it, and looking takes an eighth of its time.
    """
    if arguments.input:
        return _run(arguments)
    gc.disable()
    try:
        return _run(arguments)
    finally:
        gc.enable()


def _run(arguments: argparse.Namespace) -> int:
    _check(arguments)
    engine, bot = engine_of(arguments), load_checked_bot(arguments.bot)
    warn_of_left_out(bot)
    profile_values = read_pairs(arguments.profile)
    earlier = earlier_text((None, [row.message() for row in read_rows(file, MessageRow)]) for file in arguments.earlier)
    options = TurnOptions(profile_of(profile_values, bot).model_copy(update={"earlier": earlier}))
    if arguments.input:
        return _ask_rows(arguments, engine, bot, profile_values, earlier)
    text = check_message(arguments.text)
    history = read_rows(arguments.history, MessageRow) if arguments.history else ()
    with interactive_calls(arguments):
        turn = take_turn(engine, bot, Indexes().get(bot), tuple(row.message() for row in history), text, options)
    print(json.dumps(_as_json(turn), ensure_ascii=False) if arguments.json else _as_text(turn))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    if (arguments.text is None) == (arguments.input is None):
        raise BadInput("ask needs either a message or --in FILE. Give one of them.")
    if (arguments.input is None) != (arguments.output is None):
        raise BadInput("--in and --out belong together. Give both, or neither.")
    if arguments.input and arguments.history:
        raise BadInput("--history goes with one message. With --in, give each row its `messages`.")


def _ask_rows(
    arguments: argparse.Namespace, engine: Engine, bot: Bot, profile_values: dict[str, str], earlier: str
) -> int:
    """The turn of each row, in the order of the file; a row that fails says why in `error`."""
    rows, index = read_rows(arguments.input, TextOrMessagesRow), Indexes().get(bot)

    def turn(row: TextOrMessagesRow) -> dict[str, Any]:
        *before, last = row.conversation()
        profile = profile_of({**profile_values, **row.profile}, bot).model_copy(update={"earlier": earlier})
        return _as_json(take_turn(engine, bot, index, tuple(before), last.text, TurnOptions(profile)))

    with interactive_calls(arguments):
        results = map_rows(rows, turn, dict.fromkeys(_KEYS), engine)
    write_rows(arguments.output, results)
    return 0


def _as_json(turn: Turn) -> dict[str, Any]:
    asks = turn.reply.kind == "clarify"
    return {
        "decision": turn.decision or None,
        "row": turn.route.rule if turn.route else None,
        "assessment": turn.assessment.model_dump() if turn.assessment else None,
        "reply": turn.reply.text,
        "choices": list(turn.reply.choices),
        "query": "" if asks else turn.query,
        "sources": _sources(turn),
        "answered": turn.reply.answered if turn.reply.kind == "answer" else False,
    }


def _sources(turn: Turn) -> list[dict[str, Any]] | None:
    """The passages that the bot had for its answer, best first; None if it does not tell, no score if it tells none.

    An answer that says "not in the documents" has no sources.
    """
    if turn.passages is None:
        return None
    if turn.reply.kind == "answer" and turn.reply.answered is False:
        return []
    scores = [hit.score for hit in turn.hits] if turn.hits is not None else [None] * len(turn.passages)
    return [
        {
            "document": passage.document,
            "heading": passage.heading or passage.title,
            "text": passage.text,
            "score": score,
        }
        for passage, score in zip(turn.passages, scores, strict=True)
    ]


def _as_text(turn: Turn) -> str:
    """The reply as a person reads it, with the choices or the sources."""
    lines = [without_bold(turn.reply.text), *(f"- {choice}" for choice in turn.reply.choices)]
    if turn.reply.kind == "answer" and turn.reply.cited:
        cited = [(number, (turn.passages or ())[number - 1]) for number in turn.reply.cited]
        lines += ["", *(f"[{number}] {passage.document} · {passage.heading}" for number, passage in cited)]
    return without_control_characters("\n".join(lines))
