"""`rewrite`: conversations to standalone questions."""

from __future__ import annotations

import argparse

from core.base.types import Message
from core.bot.rewrite.rewrite import Rewrite, rewrite
from core.cli.input_rows import MessagesRow
from core.cli.json_lines import map_rows, read_rows, write_rows
from core.cli.options import engine_of, interactive_calls
from core.text.conversation import language_spoken


def run(arguments: argparse.Namespace) -> int:
    """Write one standalone question for each conversation."""
    engine = engine_of(arguments)
    rows = read_rows(arguments.input, MessagesRow)

    def queries(conversation: tuple[Message, ...]) -> tuple[str, ...]:
        return rewrite(engine, Rewrite(conversation=conversation, language=language_spoken(conversation, "ja")))

    with interactive_calls(arguments):
        found = map_rows(rows, lambda row: {"query": "\n".join(queries(row.conversation()))}, {"query": ""}, engine)
    write_rows(arguments.output, found)
    return 0
