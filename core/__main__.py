"""The command line: `python -m core COMMAND`; JSON Lines in and out, exit codes in docs/command-line.md."""

from __future__ import annotations

import errno
import gc
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from core.base.errors import BadInput, ModelError, sentence
from core.cli.exit_codes import BAD_INPUT, UNFORESEEN, interrupted_code, sigterm_as_interrupt
from core.cli.output import discard_output
from core.cli.parser import parser

COMMANDS_ON_RUNS = ("runs", "export", "compare", "resume", "judge-run")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; gives its exit code."""
    _log_errors_only()
    if problem := _prepare_streams():
        print(f"error: {problem}", file=sys.stderr)
        return BAD_INPUT
    if (place := _not_utf8(sys.argv[1:] if arguments is None else arguments)) is not None:
        print(f"error: argument {place} is not UTF-8 text. Write it in UTF-8.", file=sys.stderr)
        return BAD_INPUT
    command = ""
    try:
        parsed = parser().parse_args(arguments)
        command = parsed.command
        with sigterm_as_interrupt():
            return import_module(f"core.cli.{command.replace('-', '_')}").run(parsed)
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


def _unforeseen(error: Exception, command: str) -> int:
    """One sentence for an error that no command knows: a full output, a damaged database, else a reference into the log."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and not error.filename:
        print("error: The output cannot be written: no space left. Make room and try again.", file=sys.stderr)
        with suppress(OSError):
            discard_output()
        return BAD_INPUT
    from core.base.crash_log import crash  # brings the settings, half of what a help text takes

    report = crash(error)
    if command in COMMANDS_ON_RUNS:
        from core.cli.check import find_damage  # brings the database

        if damage := find_damage():
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


def _log_errors_only() -> None:
    """On standard error; also what libraries log that set their own loggers to a lower level."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(message)s", handlers=[handler])


if __name__ == "__main__":
    code = main()
    gc.freeze()  # nothing is left to look through for garbage at the end
    sys.exit(code)
