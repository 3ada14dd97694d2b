"""Unexpected errors: one sentence for the user, and the traceback, with keys redacted, in a log file."""

from __future__ import annotations

import os
import secrets
import stat
import threading
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from core.base.errors import BadInput
from core.base.http_rules import is_secret_name
from core.base.redact import Redactor
from core.base.settings import ROOT, settings

FILE = "errors.log"
MAX_LOG_BYTES = 2_000_000  # then a new log begins, and the old one is stored next to it
MAX_ENTRY_CHARACTERS = 20_000  # characters of one entry
_LOCK = threading.Lock()


def crash(error: BaseException) -> BadInput:
    """The sentence for an unexpected error, with the reference of its entry in the log.

    Its traceback goes to `errors.log` in the data folder, with keys replaced by dots.
    """
    reference = secrets.token_hex(4)
    file = _folder() / FILE
    kind = type(error).__name__
    message = f"Something went wrong that Kiku did not foresee ({kind})"
    if _write(file, f"{datetime.now(UTC).isoformat(timespec='seconds')} {reference}\n{_traceback(error)}\n"):
        message = f"{message}. Details: {file.name} in the data folder, reference {reference}."
        return BadInput(message, "crash", kind=kind, file=file.name, reference=reference)
    return BadInput(f"{message}, and the log cannot be written.", "crash_unlogged", kind=kind)


def _traceback(error: BaseException) -> str:
    text = "".join(traceback.format_exception(error, limit=-60))
    text = text if len(text) <= MAX_ENTRY_CHARACTERS else f"{text[:1_000]}\n…\n{text[1_000 - MAX_ENTRY_CHARACTERS :]}"
    return Redactor(_secrets()).text(text)


def _secrets() -> list[str]:
    keys = [value for name, value in os.environ.items() if is_secret_name(name)]
    with suppress(Exception):  # settings that cannot be read have no key in use
        values = (getattr(settings(), name) for name in type(settings()).model_fields)
        keys += [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
    return keys


def _folder() -> Path:
    with suppress(Exception):
        return settings().data_dir
    return ROOT / "data"


def _write(file: Path, entry: str) -> bool:
    try:
        with _LOCK:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.is_file() and file.stat().st_size > MAX_LOG_BYTES:
                file.replace(file.with_suffix(".log.1"))
            # A FIFO in its place would wait for a reader
            place = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0), 0o666)
            with open(place, "a", encoding="utf-8", errors="backslashreplace") as log:
                if not stat.S_ISREG(os.fstat(place).st_mode):
                    return False
                log.write(entry)
    except OSError:
        return False
    return True
