"""`export`: a run as a workbook, CSV, JSON Lines, an HTML report or Google Sheets."""

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
from core.base.files import replacing, resolve_path
from core.base.settings import settings
from core.cli.output import show_progress
from core.export.run_export import FORMATS, Export, Format
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.store.store import open_store

PROGRESS_EVERY = 100  # conversations


def run(arguments: argparse.Namespace) -> int:
    """Write a run in every form that was asked for; a file appears only once it is complete."""
    files: dict[Format, str] = {form: name for form in FORMATS if (name := getattr(arguments, form))}
    if arguments.share and not arguments.sheets:
        raise BadInput("--share needs --sheets.")
    _check_files(list(files.values()), bool(arguments.sheets))
    store = open_store()
    run = store.records.run(arguments.run)
    language = cast(Any, arguments.language or settings().language or run.language)

    def export(form: str) -> Export:
        progress = _progress(form, run.total)
        return Export(
            store, run.id, language, settings().pass_mark, settings().alert_mark, progress, lambda: _index(run.bot)
        )

    for form, name in files.items():
        _write(export(form), form, name, arguments.table)
    if arguments.sheets:
        print(export("sheets").to_sheets(arguments.sheets, arguments.share))
    return 0


@cache
def _index(bot: str) -> Index | None:
    """The index of a bot; None if the bot is gone or its documents cannot be read."""
    with suppress(BadInput):
        return Indexes().get(load_bot(bot))
    return None


def _check_files(names: list[str], sheets: bool) -> None:
    """Raises BadInput before anything is written if something cannot be."""
    if not names and not sheets:
        raise BadInput(f"Give at least one of {', '.join(f'--{form}' for form in FORMATS)} and --sheets.")
    if names.count("-") > 1:
        raise BadInput("Only one format can go to standard output. Give a file for each of the others.")
    files = [resolve_path(Path(name)) for name in names if name != "-"]
    if len(set(files)) < len(files):
        raise BadInput("Two formats cannot go to the same file. Give each its own file.")
    for name in names:
        if name != "-" and Path(name).is_dir():
            raise BadInput(f"{name} is a folder. Give the path of a file in it.")


def _write(export: Export, form: Format, name: str, table: str) -> None:
    if name != "-":
        with replacing(Path(name)) as out:
            export.write(form, out, table)
        return
    with tempfile.TemporaryFile() as complete:  # nothing half-written goes down a pipe
        export.write(form, cast(BinaryIO, complete), table)
        complete.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(complete, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _progress(form: str, total: int) -> Callable[[int], None]:
    def show(count: int) -> None:
        if count % PROGRESS_EVERY == 0 or count == total:
            show_progress(f"{form}: {count} / {total}", count == total)

    return show
