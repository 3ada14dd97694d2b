"""Options that several commands share, the types of their values, and the engine they name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from core.base.prompt import Engine
    from core.base.types import Bot

T = TypeVar("T")
LANGUAGES = ("ja", "en")
ENGINES = ("embedded", "openai")
MAX_MISSING = 0.1  # share of conversations that may have no score before the pass mark counts as missed
MIN_PAIRED = 0.5  # share of each run's conversations that a pass of `compare --fail-if-worse` has to rest on


def add_engine_options(command: argparse.ArgumentParser) -> None:
    """Add --engine, and --no-cache for calls that may not come from the call log."""
    command.add_argument("--engine", choices=ENGINES, help="default: the setting")
    command.add_argument("--no-cache", action="store_true", help="do not reuse earlier model calls")


def add_input_option(command: argparse.ArgumentParser) -> None:
    """Add --in, the file to read."""
    command.add_argument("--in", dest="input", metavar="FILE", default="-", help="JSON Lines (default: standard input)")


def add_output_option(command: argparse.ArgumentParser) -> None:
    """Add --out, the file to write."""
    command.add_argument("--out", dest="output", metavar="FILE", default="-", help="default: standard output")


def add_judging_options(command: argparse.ArgumentParser) -> None:
    """Add --strict, --one-by-one and --examples."""
    command.add_argument(
        "--strict",
        action="store_true",
        help="quiz judges: statements beyond the reference answer make an answer incorrect",
    )
    command.add_argument("--one-by-one", action="store_true", help="one model call per criterion")
    command.add_argument(
        "--examples", metavar="FILE", help="labelled examples for judges: {judge, label, question, answer, ...}"
    )


def judging_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What those options say, as fields of `core.judges.base.JudgeOptions`; raises BadInput for a file that cannot be read."""
    from core.cli.input_rows import ExampleRow
    from core.cli.json_lines import read_rows

    rows = read_rows(arguments.examples, ExampleRow) if arguments.examples else []
    examples = {name: tuple(row.example() for row in rows if row.judge == name) for name in {row.judge for row in rows}}
    return {"strict": arguments.strict, "together": not arguments.one_by_one, "examples": examples}


def add_pass_mark_options(command: argparse.ArgumentParser) -> None:
    """Add the pass mark and its options: --fail-under, --sure, --max-missing, --junit."""
    command.add_argument(
        "--fail-under", type=share, metavar="SCORE", help="pass mark: exit 1 below this score (0 to 1)"
    )
    sure = "with --fail-under: exit 1 unless the lower end of the 95 %% confidence interval reaches it"
    command.add_argument("--sure", action="store_true", help=sure)
    missing = f"with --fail-under: exit 1 if more than this share failed or is not scored (default {MAX_MISSING:g})"
    command.add_argument("--max-missing", type=share, metavar="SHARE", help=missing)
    command.add_argument("--junit", metavar="FILE", help="also write the result and every conversation as JUnit tests")


def engine_of(arguments: argparse.Namespace) -> Engine:
    """The engine that `--engine` or else the settings name; raises BadInput if it lacks something, such as a key."""
    from core.base.settings import settings

    return engine_named(getattr(arguments, "engine", None) or settings().engine)


def engine_named(name: str) -> Engine:
    """The engine of a name in ENGINES; raises BadInput if it lacks something, such as a key."""
    from core.base.settings import settings
    from core.llm.embedded import EmbeddedEngine

    if name == "embedded":
        return EmbeddedEngine()
    from core.llm.engine_choice import openai_engine  # brings the openai package
    from core.store.store import open_store

    return openai_engine(settings(), open_store().calls)


def load_checked_bot(name: str) -> Bot:
    """The bot, after a check of the prompts of its own; raises BadInput."""
    from core.base.bot_folder import load_bot

    bot = load_bot(name)
    if bot.prompts:
        from core.prompts.catalog import check_prompts  # brings all judges

        check_prompts(bot)
    return bot


def warn_of_left_out(bot: Bot) -> None:
    """Say on standard error which documents the bot cannot read, since it answers without them."""
    from core.documents.documents import ENDINGS_TEXT, read_documents, skipped_files, unreadable

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
    from core.base.call_context import INTERACTIVE_PATIENCE, in_context

    return in_context(cache=not arguments.no_cache, connect_patience=INTERACTIVE_PATIENCE)


def _checked(read: Callable[[str], T], problem: str, fits: Callable[[T], bool] = lambda _: True) -> Callable[[str], T]:
    """What argparse makes a value of an option's text with; `problem` says after the text what is wrong with it."""

    def checked(text: str) -> T:
        with suppress(ValueError):
            if fits(value := read(text)):
                return value
        raise argparse.ArgumentTypeError(f"{text!r} is {problem}")

    return checked


def _digits(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError
    return int(text)


count = _checked(_digits, "not a whole number of at least 1", lambda value: value >= 1)
port = _checked(_digits, "not a port from 1 to 65535", lambda value: 1 <= value <= 65535)
money = _checked(float, "not an amount above 0", lambda value: 0 < value < inf)
share = _checked(float, "not between 0 and 1", lambda value: 0 <= value <= 1)
number = _checked(float, "not a number", isfinite)
iso_date = _checked(date.fromisoformat, "no date; write it as 2026-04-01")
