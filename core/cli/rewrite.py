"""`rewrite`: conversations to standalone questions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from core.cli.options import add_engine_options, add_input_option, add_output_option, engine_of, interactive_calls

if TYPE_CHECKING:
    from core.base.types import Message


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """The command and its options."""
    rewrite = commands.add_parser("rewrite", help="rewrite conversations as search queries: {id, messages}")
    add_input_option(rewrite)
    add_output_option(rewrite)
    add_engine_options(rewrite)
    return rewrite


def run(arguments: argparse.Namespace) -> int:
    """Write one standalone question for each conversation."""
    from core.bot.rewrite.rewrite import Rewrite, rewrite
    from core.cli.input_rows import MessagesRow
    from core.cli.json_lines import map_rows, read_rows, write_rows
    from core.text.conversation import language_spoken

    engine = engine_of(arguments)
    rows = read_rows(arguments.input, MessagesRow)

    def queries(conversation: tuple[Message, ...]) -> tuple[str, ...]:
        return rewrite(engine, Rewrite(conversation=conversation, language=language_spoken(conversation, "ja")))

    with interactive_calls(arguments):
        found = map_rows(rows, lambda row: {"query": "\n".join(queries(row.conversation()))}, {"query": ""}, engine)
    write_rows(arguments.output, found)
    return 0
