"""The command line: `python -m core COMMAND`; JSON Lines in and out, exit codes in docs/command-line.md."""

from __future__ import annotations

import argparse
import errno
import gc
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from core.base.clean_text import shorten_words
from core.base.errors import BadInput, ModelError, sentence
from core.cli import (
    agreement,
    ask,
    assess,
    check,
    compare,
    examples,
    export,
    generate,
    index,
    judge,
    judge_run,
    optimize,
    resume,
    rewrite,
    runs,
    search,
    serve,
    simulate,
)
from core.cli.exit_codes import BAD_INPUT, UNFORESEEN, interrupted_code, sigterm_as_interrupt
from core.cli.output import discard_output

# In the order of the help; none of them imports anything heavy before it runs.
COMMANDS = (
    ask,
    assess,
    rewrite,
    search,
    index,
    judge,
    judge_run,
    agreement,
    generate,
    examples,
    simulate,
    resume,
    compare,
    optimize,
    runs,
    export,
    check,
    serve,
)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """One line and exit 2."""
        self.exit(BAD_INPUT, f"{self.prog}: {shorten_words(message)} (see --help)\n")

    def print_help(self, file: Any = None) -> None:
        """The help, written at once, so that a full output is an error."""
        out = file or sys.stdout
        out.write(self.format_help())
        out.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    _log_errors_only()
    if problem := _prepare_streams():
        print(f"error: {problem}", file=sys.stderr)
        return BAD_INPUT
    if (place := _not_utf8(sys.argv[1:] if arguments is None else arguments)) is not None:
        print(f"error: argument {place} is not UTF-8 text. Write it in UTF-8.", file=sys.stderr)
        return BAD_INPUT
    command = None
    try:
        parsed = parser().parse_args(arguments)
        command = parsed.command
        with sigterm_as_interrupt():
            return parsed.command(parsed)
    except (BadInput, ModelError) as error:
        print(f"error: {sentence(error)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt as interrupt:
        return interrupted_code(interrupt)
    except BrokenPipeError:  # `| head` has read enough
        discard_output()
        return 0
    except MemoryError:
        print("error: There is not enough memory. Close other programs, or allow this one more.", file=sys.stderr)
        return BAD_INPUT
    except Exception as error:
        return _unforeseen(error, command)


def _unforeseen(error: Exception, command: object) -> int:
    """One sentence for an error that no command knows: a full output, a damaged database, else a reference into the log."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and not error.filename:
        print("error: The output cannot be written: no space left. Make room and try again.", file=sys.stderr)
        with suppress(OSError):
            discard_output()
        return BAD_INPUT
    from core.base.crash_log import crash  # brings the settings, half of what a help text takes

    report = crash(error)
    if command in (runs.run, export.run, compare.run, resume.run, judge_run.run) and (damage := check.find_damage()):
        hint = "`python -m core check` says what can still be read, and what to do."
        print(f"error: The database is damaged ({damage}). {hint}", file=sys.stderr)
        return BAD_INPUT
    print(f"error: {report}", file=sys.stderr)
    return UNFORESEEN


def _prepare_streams() -> str:
    """Why the standard streams cannot be used, else ""; signs that the output's encoding lacks are written as escapes."""
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (for as long as the process)
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]
        return "The standard output is closed. Open it, or send it to a file."
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  (for as long as the process)
    out: Any = sys.stdout
    if getattr(out, "errors", "") == "strict" and hasattr(out, "reconfigure"):
        out.reconfigure(errors="backslashreplace")
    return ""


def _not_utf8(arguments: Sequence[str]) -> int | None:
    """The place (from 1) of the first argument that the shell did not give in UTF-8."""
    broken = (place for place, text in enumerate(arguments, 1) if any("\ud800" <= sign <= "\udfff" for sign in text))
    return next(broken, None)


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    top = _Parser(prog="python -m core", description="Kiku: talk to support bots, simulate users, judge answers.")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    for command in COMMANDS:
        command.add_parser(commands).set_defaults(command=command.run)
    return top


def _log_errors_only() -> None:
    """On standard error; also what libraries log that set their own loggers to a lower level."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(message)s", handlers=[handler])


if __name__ == "__main__":
    code = main()
    gc.freeze()  # nothing is left to look through for garbage at the end
    sys.exit(code)
