"""The command line: `python -m core COMMAND`; JSON Lines in and out, exit codes in docs/command-line.md."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NoReturn

from core.base.call_context import INTERACTIVE_PATIENCE, in_context
from core.base.errors import BadInput, ModelError
from core.base.prompt import Engine
from core.base.settings import settings
from core.cli import ask as talk
from core.cli import compare, export, serve, signals, simulate
from core.cli import judge as verdicts
from core.cli import judge_options as shots
from core.cli import judge_run as kept
from core.cli import pass_mark as bar
from core.cli import search as find
from core.llm.embedded import EmbeddedEngine
from core.store.store import open_store


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """One line and exit 2."""
        self.exit(2, f"{self.prog}: {message} (see --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(message)s")
    logging.getLogger("bm25s").setLevel(logging.ERROR)  # sets itself to DEBUG when imported
    given = parser().parse_args(arguments)
    try:
        with signals.sigterm_like_ctrl_c(), _context(given):
            return given.command(given, engine_for(given))
    except (BadInput, ModelError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as end:
        return signals.exit_code(end)
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def engine_for(given: argparse.Namespace) -> Engine:
    """The engine that the option or the settings ask for; raises BadInput where it cannot be had."""
    name = getattr(given, "engine", None) or settings().engine
    if name == "embedded" or given.command in (serve.serve, export.export_run):
        return EmbeddedEngine()
    from core.llm.choose import choose_engine  # brings the openai package: not for commands without a model

    return choose_engine(settings(), open_store().calls, name)


def _context(given: argparse.Namespace) -> AbstractContextManager[object]:
    """What the options say of all calls of a command; a run outlives a server's restart, the others tell of it soon."""
    if given.command in (simulate.simulate, simulate.resume):
        return nullcontext()
    return in_context(cache=not getattr(given, "no_cache", False), connect_patience=INTERACTIVE_PATIENCE)


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    top = _Parser(prog="python -m core", description="Kiku: talk to support bots, simulate users, judge answers.")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    _talking(commands)
    _finding(commands)
    _judging(commands)
    _running(commands)
    export.parser(commands)
    pages = commands.add_parser("serve", help="serve the pages on 127.0.0.1")
    pages.add_argument("--port", type=_port, default=8501)
    pages.set_defaults(command=serve.serve)
    return top


def _talking(commands: Any) -> None:
    ask = commands.add_parser("ask", help="ask a bot and print its reply")
    ask.add_argument("text", help="the message")
    ask.add_argument("--bot", required=True)
    ask.add_argument("--history", metavar="FILE", help="earlier messages as JSON Lines of {role, text}")
    ask.add_argument("--json", action="store_true", help="print the turn as JSON")
    _model(ask)
    ask.set_defaults(command=talk.ask)
    assess = commands.add_parser("assess", help="assess how clear messages are: {id, text or messages}")
    _in_out(assess)
    assess.add_argument("--bot", help="use this bot's settings and documents")
    _model(assess)
    assess.set_defaults(command=talk.assess)
    rewrite = commands.add_parser("rewrite", help="rewrite conversations as search queries: {id, messages}")
    _in_out(rewrite)
    _model(rewrite)
    rewrite.set_defaults(command=talk.rewrite_all)


def _finding(commands: Any) -> None:
    search = commands.add_parser("search", help="find the best documents for queries: {id, query}")
    where = search.add_mutually_exclusive_group(required=True)
    where.add_argument("--bot", help="search this bot's documents")
    where.add_argument("--corpus", metavar="FILE", help="search these documents: {id, text, title?}")
    search.add_argument("--queries", metavar="FILE", required=True, help="JSON Lines, - for standard input")
    search.add_argument("--k", type=_count, default=10, help="documents per query (default 10)")
    _out(search)
    search.set_defaults(command=find.search)
    index = commands.add_parser("index", help="build or update a bot's index")
    index.add_argument("--bot", required=True)
    index.add_argument("--rebuild", action="store_true", help="rebuild even if nothing has changed")
    index.add_argument("--json", action="store_true")
    index.set_defaults(command=find.index)


def _judging(commands: Any) -> None:
    judge = commands.add_parser("judge", help="score answers: {id, question, answer, …} as JSON Lines, CSV or .xlsx")
    judge.add_argument("judges", nargs="+", metavar="JUDGE", help="turn, correctness, criteria:helpfulness …")
    _in_out(judge)
    judge.add_argument("--bot", help="use this bot's guidelines and custom judges")
    judge.add_argument("--language", choices=("ja", "en"), help="language of the reasons (default: the question's)")
    judge.add_argument(
        "--keep", action="store_true", help="store answers and scores as a run of --bot and print the means"
    )
    judge.add_argument("--json", action="store_true", help="with --keep: print the means as JSON")
    shots.judging_options(judge)
    _model(judge)
    judge.set_defaults(command=verdicts.judge)
    again = commands.add_parser("judge-run", help="score a finished run with more judges")
    again.add_argument("run", metavar="RUN")
    again.add_argument("judges", nargs="+", metavar="JUDGE")
    again.add_argument("--repeats", type=_count, default=1, metavar="K", help="scores per turn (default 1)")
    again.add_argument(
        "--budget", type=_money, default=0.0, metavar="X", help="cost limit: stop before the run costs more"
    )
    again.add_argument("--json", action="store_true")
    shots.judging_options(again)
    again.set_defaults(command=kept.judge_run)


def _running(commands: Any) -> None:
    run = commands.add_parser("simulate", help="let simulated users talk to a bot and judge every turn")
    run.add_argument("--bot", required=True)
    run.add_argument(
        "--personas",
        default="",
        help="all: every persona with every question; ids: one of them per question, picked by the seed",
    )
    run.add_argument("--questions", default="all", help="all, ids, or a kind such as faq")
    run.add_argument("--judges", default="turn")
    run.add_argument("--repeats", type=_count, default=1)
    run.add_argument("--seed", type=int, default=0)
    run.add_argument("--max-turns", type=_count, default=3)
    run.add_argument("--no-clarify", action="store_true", help="run without clarifying questions")
    run.add_argument("--limit", type=_count, default=0, help="maximum conversations, picked by the seed")
    run.add_argument(
        "--concurrency", type=_count, default=0, help="conversations at the same time (default: the setting)"
    )
    run.add_argument("--language", choices=("ja", "en"), help="language of the simulated users (default: the bot's)")
    shots.judging_options(run)
    run.add_argument(
        "--judge-language", choices=("ja", "en"), help="language of the reasons (default: the simulated users')"
    )
    _model(run)
    run.add_argument(
        "--budget", type=_money, default=0.0, metavar="X", help="cost limit: stop before the run costs more"
    )
    run.add_argument(
        "--budget-calls", type=_count, default=0, metavar="N", help="call limit: stop after this many model calls"
    )
    bar.bar_options(run, _share)
    run.add_argument("--json", action="store_true")
    run.set_defaults(command=simulate.simulate)
    again = commands.add_parser("resume", help="resume a run that stopped")
    again.add_argument("run", metavar="RUN")
    again.add_argument("--retry-failed", action="store_true", help="also run failed conversations again")
    again.add_argument("--budget", type=_money, metavar="X", help="cost limit (default: the run's)")
    again.add_argument("--budget-calls", type=_count, metavar="N", help="call limit (default: the run's)")
    again.add_argument("--engine", choices=("embedded", "openai"), help="default: the engine of the run")
    bar.bar_options(again, _share)
    again.add_argument("--json", action="store_true")
    again.set_defaults(command=simulate.resume)
    compare.add_compare(commands, _share)
    listed = commands.add_parser("runs", help="list runs, newest first")
    listed.add_argument("--bot")
    listed.add_argument("--limit", type=_count, default=20)
    listed.add_argument("--json", action="store_true", help="JSON Lines")
    listed.set_defaults(command=simulate.runs)


def _model(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=("embedded", "openai"), help="default: the setting")
    command.add_argument("--no-cache", action="store_true", help="do not reuse earlier model calls")


def _in_out(command: argparse.ArgumentParser) -> None:
    command.add_argument("--in", dest="input", metavar="FILE", default="-", help="JSON Lines (default: standard input)")
    _out(command)


def _out(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", dest="output", metavar="FILE", default="-", help="default: standard output")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 1 to 65535")
    return int(text)


def _money(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount above 0")
    return value


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not between 0 and 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
