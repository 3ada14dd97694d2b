"""The options of all commands; nothing heavy is imported here, so that a help text is printed at once."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from math import inf, isfinite
from typing import Any, NoReturn, TypeVar

from core.base.clean_text import shorten_words
from core.cli.exit_codes import BAD_INPUT, INCONCLUSIVE

T = TypeVar("T")
LANGUAGES = ("ja", "en")
ENGINES = ("embedded", "openai")
MAX_MISSING = 0.1  # share of conversations that may have no score before the pass mark counts as missed
TABLES = ("conversations", "turns", "scores")  # `core.export.layout.ROWS`
DEFAULT_QUESTIONS = 100  # questions from a bot's documents, if no number is given
DEFAULT_DOCUMENTS = 20  # documents modelled on the seed document, if no number is given
MIN_PAIRED = 0.5  # share of each run's conversations that a pass of `compare --fail-if-worse` has to rest on


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {shorten_words(message)} (see --help)\n")

    def print_help(self, file: Any = None) -> None:
        """The help, written at once, so that a full output is an error."""
        out = file or sys.stdout
        out.write(self.format_help())
        out.flush()


def parser() -> argparse.ArgumentParser:
    """All commands with their options, in the order of the help."""
    top = _Parser(prog="python -m core", description="Kiku: talk to support bots, simulate users, judge answers.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for add in (
        _ask,
        _assess,
        _rewrite,
        _search,
        _index,
        _judge,
        _judge_run,
        _agreement,
        _generate,
        _examples,
        _simulate,
        _resume,
        _compare,
        _optimize,
        _runs,
        _export,
        _check,
        _serve,
    ):
        add(commands)
    return top


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


def _ask(commands: Any) -> None:
    ask = commands.add_parser("ask", help="ask a bot and print its reply")
    ask.add_argument("text", nargs="?", help="the message")
    ask.add_argument("--bot", required=True)
    history = "earlier messages as JSON Lines of {role, text, asks?, choices?}"
    ask.add_argument("--history", metavar="FILE", help=history)
    earlier = "an earlier conversation of the person as background, as for --history; may be repeated, newest first"
    ask.add_argument("--earlier", metavar="FILE", action="append", default=[], help=earlier)
    about = "what is known of the person, such as office=Osaka; may be repeated"
    ask.add_argument("--profile", metavar="KEY=VALUE", action="append", default=[], help=about)
    rows = "instead of one message: JSON Lines of {id, text or messages, profile?}, - for standard input"
    ask.add_argument("--in", dest="input", metavar="FILE", help=rows)
    ask.add_argument("--out", dest="output", metavar="FILE", help="where the turns go with --in, - for standard output")
    ask.add_argument("--json", action="store_true", help="print the turn as JSON")
    _add_engine_options(ask)


def _assess(commands: Any) -> None:
    assess = commands.add_parser("assess", help="assess how clear messages are: {id, text or messages}")
    _add_input_option(assess)
    _add_output_option(assess)
    assess.add_argument("--bot", help="use this bot's settings and documents")
    _add_engine_options(assess)


def _rewrite(commands: Any) -> None:
    rewrite = commands.add_parser("rewrite", help="rewrite conversations as search queries: {id, messages}")
    _add_input_option(rewrite)
    _add_output_option(rewrite)
    _add_engine_options(rewrite)


def _search(commands: Any) -> None:
    search = commands.add_parser("search", help="find the best documents for queries: {id, query}")
    where = search.add_mutually_exclusive_group(required=True)
    where.add_argument("--bot", help="search this bot's documents")
    where.add_argument("--corpus", metavar="FILE", help="search these documents: {id, text, title?}")
    search.add_argument("--queries", metavar="FILE", required=True, help="JSON Lines, - for standard input")
    search.add_argument("--k", type=count, default=10, help="documents per query (default 10)")
    _add_output_option(search)


def _index(commands: Any) -> None:
    index = commands.add_parser("index", help="build or update a bot's index")
    index.add_argument("--bot", required=True)
    index.add_argument("--rebuild", action="store_true", help="rebuild even if nothing has changed")
    index.add_argument("--json", action="store_true")


def _judge(commands: Any) -> None:
    judge = commands.add_parser("judge", help="score answers: {id, question, answer, …} as JSON Lines, CSV or .xlsx")
    judge.add_argument("judges", nargs="+", metavar="JUDGE", help="turn, correctness, criteria:helpfulness …")
    _add_input_option(judge)
    _add_output_option(judge)
    judge.add_argument("--bot", help="use this bot's guidelines and custom judges")
    judge.add_argument("--language", choices=LANGUAGES, help="language of the reasons (default: the question's)")
    keep = "store answers and scores as a run of --bot and print the means"
    judge.add_argument("--keep", action="store_true", help=keep)
    judge.add_argument("--json", action="store_true", help="with --keep: print the means as JSON")
    today = "the date that the prompts name, to score again as on that day (default: the bot's, else today)"
    judge.add_argument("--today", type=iso_date, metavar="YYYY-MM-DD", help=today)
    _add_judging_options(judge)
    _add_engine_options(judge)


def _judge_run(commands: Any) -> None:
    judge_run = commands.add_parser("judge-run", help="score a finished run with more judges")
    judge_run.add_argument("run", metavar="RUN")
    judge_run.add_argument("judges", nargs="+", metavar="JUDGE")
    judge_run.add_argument("--repeats", type=count, default=1, metavar="K", help="scores per turn (default 1)")
    budget = "cost limit: stop before the run costs more"
    judge_run.add_argument("--budget", type=money, default=0.0, metavar="X", help=budget)
    judge_run.add_argument("--json", action="store_true")
    _add_judging_options(judge_run)


def _agreement(commands: Any) -> None:
    command = commands.add_parser("agreement", help="how far a judge agrees with people: scores against labels")
    scores = "the judge's {id, value or label}, JSON Lines, as `judge` writes them; several rows of one id: asked again"
    labels = "people's {id, reviewer, label, conversation?}: yes and no, or 1 to 5; empty: cannot say"
    command.add_argument("--scores", required=True, metavar="FILE", help=scores)
    command.add_argument("--labels", required=True, metavar="FILE", help=labels)
    command.add_argument("--judge", default="", help="the judge, if the scores are of several")
    command.add_argument("--criterion", default="", help="the criterion, if the scores have several")
    threshold = "a value counts as yes from X on (default 0.5)"
    command.add_argument("--threshold", type=number, metavar="X", help=threshold)
    command.add_argument("--lower", action="store_true", help="lower values are better: yes up to the threshold")
    arbiter = "whose label decides (default: the majority)"
    command.add_argument("--arbiter", default="", metavar="REVIEWER", help=arbiter)
    by = "also for each value of a field of the rows, e.g. persona"
    command.add_argument("--by", default="", metavar="FIELD", help=by)
    below = "exit 1 unless the lower end of kappa's interval reaches K"
    command.add_argument("--fail-under", type=share, metavar="K", help=below)
    command.add_argument("--json", action="store_true")


def _generate(commands: Any) -> None:
    generate = commands.add_parser("generate", help="make a test set from documents")
    source = generate.add_mutually_exclusive_group(required=True)
    source.add_argument("--bot", help="questions straight from this bot's documents")
    seed_documents = "a whole test set modelled on this file, or on the only file of this folder"
    source.add_argument("--seed-documents", metavar="PLACE", help=seed_documents)
    out = "with --bot: the questions (.csv as a bot's questions.csv, else JSON Lines); with --seed-documents: a folder"
    generate.add_argument("--out", dest="output", required=True, metavar="PLACE", help=out)
    number = f"questions (default {DEFAULT_QUESTIONS}), or documents and questions of each kind (default {DEFAULT_DOCUMENTS})"
    generate.add_argument("--count", type=count, default=0, metavar="N", help=number)
    generate.add_argument("--seed", type=int, default=0)
    language = "of the prompts (default: the bot's), or of the seed document (default: detected)"
    generate.add_argument("--language", choices=LANGUAGES, help=language)
    _add_engine_options(generate)


def _examples(commands: Any) -> None:
    examples = commands.add_parser("examples", help="have a model write example questions for a bot's documents")
    examples.add_argument("--bot", required=True)
    examples.add_argument("--limit", type=count, default=0, metavar="N", help="maximum sections (default: all)")
    redo = "also sections that have some: the new ones take their place, and the file as it was is copied"
    examples.add_argument("--redo", action="store_true", help=redo)
    examples.add_argument("--json", action="store_true")
    _add_engine_options(examples)


def _simulate(commands: Any) -> None:
    simulate = commands.add_parser("simulate", help="let simulated users talk to a bot and judge every turn")
    simulate.add_argument("--bot", required=True)
    personas = (
        "all: every persona with every question; ids, between commas: one of them per question, picked by the seed"
    )
    simulate.add_argument("--personas", default="", help=personas)
    simulate.add_argument("--questions", default="all", help="all; ids, or kinds such as faq, between commas")
    simulate.add_argument("--judges", default="turn", help="between commas, such as turn,correctness (default: turn)")
    simulate.add_argument("--repeats", type=count, default=1, help="conversations of each combination (default: 1)")
    simulate.add_argument("--seed", type=int, default=0, help="draws personas and wordings (default: 0)")
    simulate.add_argument("--max-turns", type=count, default=3, help="turns of a conversation at most (default: 3)")
    first = "send each question as it is, or in the persona's words (default: persona with a language model)"
    simulate.add_argument("--first-message", choices=("plain", "persona"), default="", help=first)
    today = "the date that the prompts name, to repeat a run (default: the bot's, else today)"
    simulate.add_argument("--today", type=iso_date, metavar="YYYY-MM-DD", help=today)
    no_clarify = "run without clarifying questions"
    simulate.add_argument("--no-clarify", action="store_true", help=no_clarify)
    simulate.add_argument("--limit", type=count, default=0, help="maximum conversations, picked by the seed")
    concurrency = "conversations at the same time (default: the setting)"
    simulate.add_argument("--concurrency", type=count, default=0, help=concurrency)
    simulate.add_argument("--language", choices=LANGUAGES, help="language of the simulated users (default: the bot's)")
    _add_judging_options(simulate)
    reasons = "language of the reasons (default: the simulated users')"
    simulate.add_argument("--judge-language", choices=LANGUAGES, help=reasons)
    _add_engine_options(simulate)
    budget = "cost limit: stop before the run costs more"
    simulate.add_argument("--budget", type=money, default=0.0, metavar="X", help=budget)
    budget_calls = "call limit: stop after this many model calls"
    simulate.add_argument("--budget-calls", type=count, default=0, metavar="N", help=budget_calls)
    _add_pass_mark_options(simulate)
    simulate.add_argument("--json", action="store_true")


def _resume(commands: Any) -> None:
    resume = commands.add_parser("resume", help="resume a run that stopped")
    resume.add_argument("run", metavar="RUN")
    resume.add_argument("--retry-failed", action="store_true", help="also run failed conversations again")
    budget = "cost limit (default: the run's)"
    resume.add_argument("--budget", type=money, metavar="X", help=budget)
    budget_calls = "call limit (default: the run's)"
    resume.add_argument("--budget-calls", type=count, metavar="N", help=budget_calls)
    resume.add_argument("--engine", choices=ENGINES, help="default: the engine of the run")
    _add_pass_mark_options(resume)
    resume.add_argument("--json", action="store_true")


def _compare(commands: Any) -> None:
    compare = commands.add_parser("compare", help="compare two runs: is B better than A")
    compare.add_argument("a", metavar="A", help="ID of the earlier run")
    compare.add_argument("b", metavar="B", help="ID of the later run")
    compare.add_argument("--judge", default="", help="decide by this judge (default: turn)")
    compare.add_argument("--criterion", default="", help="decide by this criterion (default: overall)")
    compare.add_argument("--margin", type=share, default=0.0, metavar="X", help="ignore differences up to X")
    worse = "exit 1 if B is worse by more than the margin, or if more conversations failed in B"
    compare.add_argument("--fail-if-worse", action="store_true", help=worse)
    fewer = f"with --fail-if-worse: exit {INCONCLUSIVE} if a smaller share of a run's conversations can be compared"
    compare.add_argument("--min-paired", type=share, metavar="SHARE", help=f"{fewer} (default {MIN_PAIRED:g})")
    compare.add_argument("--json", action="store_true")
    compare.add_argument("--junit", metavar="FILE", help="also write the result and every pair as JUnit tests")


def _optimize(commands: Any) -> None:
    optimize = commands.add_parser("optimize", help="find a better text for a prompt with labelled rows")
    optimize.add_argument("prompt", metavar="PROMPT", help="answer, rewrite, assess, functions or judges/NAME")
    optimize.add_argument("--bot", required=True)
    about = "judges/NAME: the judge if several share the prompt; answer and rewrite: who scores (default correctness)"
    optimize.add_argument("--judge", default="", metavar="JUDGE", help=about)
    labels = "judges/NAME: answers with a column or key `label` (CSV, workbook or JSON Lines)"
    optimize.add_argument("--labels", metavar="FILE", help=labels)
    optimize.add_argument("--language", choices=LANGUAGES, help="of the prompt (default: the bot's)")
    variants = "rules that the model proposes (default 4)"
    optimize.add_argument("--variants", type=int, default=4, metavar="N", help=variants)
    optimize.add_argument("--examples", type=int, default=3, metavar="N", help="sets of labelled examples (default 3)")
    optimize.add_argument("--limit", type=count, default=0, metavar="N", help="maximum labelled rows (default: all)")
    optimize.add_argument("--seed", type=int, default=0, help="draws the two halves and the examples")
    budget = "cost limit: stop before it costs more"
    optimize.add_argument("--budget", type=money, default=0.0, metavar="X", help=budget)
    day = "the date that prompts name, to go on with a search on another day (default: the bot's, else today)"
    optimize.add_argument("--today", type=iso_date, metavar="DATE", help=day)
    optimize.add_argument("--estimate", action="store_true", help="print calls, cost and time, and stop")
    optimize.add_argument("--use", action="store_true", help="store the better text in the bot's folder")
    optimize.add_argument("--json", action="store_true")
    optimize.add_argument("--engine", choices=ENGINES, help="default: the setting")


def _runs(commands: Any) -> None:
    runs = commands.add_parser("runs", help="list runs, newest first")
    runs.add_argument("--bot")
    runs.add_argument("--limit", type=count, default=20)
    runs.add_argument("--json", action="store_true", help="JSON Lines")


def _export(commands: Any) -> None:
    formats = "a workbook, CSV, JSON Lines, HTML report or Google spreadsheet"
    export = commands.add_parser("export", help=f"export a run as {formats}")
    export.add_argument("run", metavar="RUN")
    workbook = "a workbook: conversations, summary, turns, scores, what to fix, settings"
    export.add_argument("--xlsx", metavar="FILE", help=workbook)
    export.add_argument("--csv", metavar="FILE", help="one table, UTF-8 with a byte order mark")
    export.add_argument("--jsonl", metavar="FILE", help="all data for programs, one object per line")
    export.add_argument("--html", metavar="FILE", help="a report: score, charts, lowest conversations")
    sheets = "URL or ID of a Google spreadsheet, or the title of a new one"
    export.add_argument("--sheets", metavar="SPREADSHEET", help=sheets)
    export.add_argument("--share", metavar="EMAIL", default="", help="with --sheets: who may edit the spreadsheet")
    export.add_argument("--table", choices=TABLES, default=TABLES[0], help="with --csv: which table")
    language = "language of the headings (default: the setting, else the run's)"
    export.add_argument("--language", choices=LANGUAGES, help=language)


def _check(commands: Any) -> None:
    check = commands.add_parser("check", help="check the results database, and say which runs can be read")
    check.add_argument("--json", action="store_true")


def _serve(commands: Any) -> None:
    serve = commands.add_parser("serve", help="serve the pages on 127.0.0.1")
    serve.add_argument("--port", type=port, default=8501)


def _add_engine_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--engine", choices=ENGINES, help="default: the setting")
    command.add_argument("--no-cache", action="store_true", help="do not reuse earlier model calls")


def _add_input_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--in", dest="input", metavar="FILE", default="-", help="JSON Lines (default: standard input)")


def _add_output_option(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", dest="output", metavar="FILE", default="-", help="default: standard output")


def _add_judging_options(command: argparse.ArgumentParser) -> None:
    strict = "quiz judges: statements beyond the reference answer make an answer incorrect"
    command.add_argument("--strict", action="store_true", help=strict)
    command.add_argument("--one-by-one", action="store_true", help="one model call per criterion")
    examples = "labelled examples for judges: {judge, label, question, answer, ...}"
    command.add_argument("--examples", metavar="FILE", help=examples)


def _add_pass_mark_options(command: argparse.ArgumentParser) -> None:
    fail_under = "pass mark: exit 1 below this score (0 to 1)"
    command.add_argument("--fail-under", type=share, metavar="SCORE", help=fail_under)
    sure = "with --fail-under: exit 1 unless the lower end of the 95 %% confidence interval reaches it"
    command.add_argument("--sure", action="store_true", help=sure)
    missing = f"with --fail-under: exit 1 if more than this share failed or is not scored (default {MAX_MISSING:g})"
    command.add_argument("--max-missing", type=share, metavar="SHARE", help=missing)
    command.add_argument("--junit", metavar="FILE", help="also write the result and every conversation as JUnit tests")
