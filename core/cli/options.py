"""What the options that several commands share stand for: an engine, a bot, how judges judge."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from core.base.bot_folder import load_bot
from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Bot
from core.cli.input_rows import ExampleRow
from core.cli.json_lines import read_rows
from core.documents.documents import ENDINGS_TEXT, read_documents, skipped_files, unreadable
from core.llm.embedded import EmbeddedEngine


def judging_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What --strict, --one-by-one and --examples say, as fields of `core.judges.base.JudgeOptions`; raises BadInput for a file that cannot be read."""
    rows = read_rows(arguments.examples, ExampleRow) if arguments.examples else []
    examples = {name: tuple(row.example() for row in rows if row.judge == name) for name in {row.judge for row in rows}}
    return {"strict": arguments.strict, "together": not arguments.one_by_one, "examples": examples}


def engine_of(arguments: argparse.Namespace) -> Engine:
    """The engine that `--engine` or else the settings name; raises BadInput if it lacks something, such as a key."""
    return engine_named(getattr(arguments, "engine", None) or settings().engine)


def engine_named(name: str) -> Engine:
    """The engine of a name in ENGINES; raises BadInput if it lacks something, such as a key."""
    if name == "embedded":
        return EmbeddedEngine()
    from core.llm.engine_choice import openai_engine  # brings the openai package
    from core.store.store import open_store

    return openai_engine(settings(), open_store().calls)


def load_checked_bot(name: str) -> Bot:
    """The bot, after a check of the prompts of its own; raises BadInput."""
    bot = load_bot(name)
    if bot.prompts:
        from core.prompts.catalog import check_prompts  # brings all judges

        check_prompts(bot)
    return bot


def warn_of_left_out(bot: Bot) -> None:
    """Say on standard error which documents the bot cannot read, since it answers without them."""
    if bot.external:
        return
    names, hint = unreadable(bot), f"`python -m core index --bot {bot.id}` says why."
    if names:
        print(f"{bot.id} leaves out {first_of(names)}, which cannot be read. {hint}", file=sys.stderr)
    elif not read_documents(bot):
        hint = f" {hint}" if skipped_files(bot) else ""
        print(f"{bot.id} has no {ENDINGS_TEXT} documents, so it answers without any.{hint}", file=sys.stderr)


def first_of(names: Sequence[str]) -> str:
    """The first five names, and how many there are beyond them."""
    more = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}"


def interactive_calls(arguments: argparse.Namespace) -> AbstractContextManager[object]:
    """Calls that a person waits for: a model server that nobody can connect to is reported after three seconds."""
    return in_context(cache=not arguments.no_cache, connect_patience=INTERACTIVE_PATIENCE)
