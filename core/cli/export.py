"""The command that takes a run away: workbook, CSV, JSON Lines, HTML report, Google Sheets."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.files import replacing
from core.base.prompt import Engine
from core.base.settings import settings
from core.export.layout import ROWS
from core.export.run_export import FORMATS, Export, Format
from core.retrieval.index import Index, Indexes
from core.store.store import open_store

SHOWN_EVERY = 100  # conversations


def parser(commands: Any) -> None:
    """The command's options."""
    export = commands.add_parser(
        "export", help="export a run as a workbook, CSV, JSON Lines, HTML report or Google spreadsheet"
    )
    export.add_argument("run", metavar="RUN")
    export.add_argument(
        "--xlsx", metavar="FILE", help="a workbook: conversations, summary, turns, scores, what to fix, settings"
    )
    export.add_argument("--csv", metavar="FILE", help="one table, UTF-8 with a byte order mark")
    export.add_argument("--jsonl", metavar="FILE", help="all data for programs, one object per line")
    export.add_argument("--html", metavar="FILE", help="a report: score, charts, lowest conversations")
    export.add_argument(
        "--sheets", metavar="SPREADSHEET", help="URL or ID of a Google spreadsheet, or the title of a new one"
    )
    export.add_argument("--share", metavar="EMAIL", default="", help="with --sheets: who may edit the spreadsheet")
    export.add_argument("--table", choices=ROWS, default=ROWS[0], help="with --csv: which table")
    export.add_argument(
        "--language", choices=("ja", "en"), help="language of the headings (default: the setting, else the run's)"
    )
    export.set_defaults(command=export_run)


def export_run(arguments: argparse.Namespace, engine: Engine) -> int:
    """Write a run in every form that was asked for; a file appears only once it is whole."""
    wanted: dict[Format, str] = {form: name for form in FORMATS if (name := getattr(arguments, form))}
    if arguments.share and not arguments.sheets:
        raise BadInput("--share needs --sheets.")
    _check(wanted, bool(arguments.sheets))
    store = open_store()
    run = store.records.run(arguments.run)
    language = cast(Any, arguments.language or settings().language or run.language)
    for form, name in wanted.items():
        made = Export(store, run.id, language, settings().pass_mark, _Progress(form, run.total), _index_of(run.bot))
        _write(made, form, name, arguments.table)
    if arguments.sheets:
        seen = _Progress("sheets", run.total)
        made = Export(store, run.id, language, settings().pass_mark, seen, _index_of(run.bot))
        print(made.to_sheets(arguments.sheets, arguments.share))
    return 0


@cache
def _index_of(bot: str) -> Callable[[], Index | None]:
    """What opens the index of a bot, once; it gives none where the bot is gone or its documents cannot be read."""

    @cache
    def index() -> Index | None:
        with suppress(BadInput):
            return Indexes().get(load_bot(bot))
        return None

    return index


def _check(wanted: dict[Format, str], sheets: bool) -> None:
    """Raises BadInput before anything is written where something cannot be."""
    if not wanted and not sheets:
        raise BadInput("Give at least one of --xlsx, --csv, --jsonl, --html and --sheets.")
    if list(wanted.values()).count("-") > 1:
        raise BadInput("Only one format can go to standard output. Give a file for each of the others.")
    files = [Path(name).resolve() for name in wanted.values() if name != "-"]
    if len(set(files)) < len(files):
        raise BadInput("Two formats cannot go to the same file. Give each its own file.")
    for name in wanted.values():
        if name != "-" and Path(name).is_dir():
            raise BadInput(f"{name} is a folder. Give the path of a file in it.")


def _write(made: Export, form: Format, name: str, table: str) -> None:
    if name != "-":
        with replacing(Path(name)) as out:
            made.write(form, out, table)
        return
    with tempfile.TemporaryFile() as whole:  # nothing half-written goes down a pipe
        made.write(form, cast(BinaryIO, whole), table)
        whole.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(whole, sys.stdout.buffer)
        sys.stdout.buffer.flush()


class _Progress:
    """Counts on standard error while somebody watches."""

    def __init__(self, form: str, total: int) -> None:
        self._form, self._total = form, total

    def __call__(self, count: int) -> None:
        if sys.stderr.isatty() and (count % SHOWN_EVERY == 0 or count == self._total):
            end = "\n" if count == self._total else ""
            print(f"\r{self._form}: {count} / {self._total}\x1b[K", end=end, file=sys.stderr, flush=True)
