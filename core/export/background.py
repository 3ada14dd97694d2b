"""Writing large files of a run in the background, so that a page need not wait, nor hold them in memory."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from core.base.errors import BadInput
from core.base.files import replacing

log = logging.getLogger(__name__)
Work = Callable[["ExportJob"], str]


class Stopped(Exception):
    """Somebody stopped the writing."""


class ExportJob:
    """A file (or a spreadsheet) being made: `done` conversations of `total`; in the end `result` or `error`."""

    def __init__(self, total: int) -> None:
        self.done, self.total = 0, total
        self.result, self.error = "", None
        self.over, self.stopped = threading.Event(), threading.Event()

    result: str
    error: BadInput | None

    def seen(self, count: int) -> None:
        """So many conversations are written; raises Stopped where it shall end."""
        self.done = count
        if self.stopped.is_set():
            raise Stopped


class ExportJobs:
    """What is being made on one server, by a key of the caller's; the files lie in a folder that goes with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[tuple[str, ...], ExportJob] = {}
        self._lock = threading.Lock()
        shutil.rmtree(folder, ignore_errors=True)  # of a server that died

    def get(self, key: tuple[str, ...]) -> ExportJob | None:
        """What is made, or being made, under this key."""
        return self._made.get(key)

    def file(self, key: tuple[str, ...], total: int, write: Callable[[ExportJob, BinaryIO], None]) -> ExportJob:
        """Begin to write a file; its path is the result."""
        path = self.folder / f"{abs(hash(key)):x}"

        def work(making: ExportJob) -> str:
            with replacing(path) as out:
                write(making, out)
            return str(path)

        return self.begin(key, total, work)

    def begin(self, key: tuple[str, ...], total: int, work: Work) -> ExportJob:
        """Begin a work, unless the same is going on already."""
        with self._lock:
            there = self._made.get(key)
            if there and not there.over.is_set():
                return there
            making = self._made[key] = ExportJob(total)
        threading.Thread(target=_run, args=(making, work), name="takeaway", daemon=True).start()
        return making

    def forget(self, key: tuple[str, ...]) -> None:
        """Leave no trace of what was made."""
        made = self._made.pop(key, None)
        if made:
            made.stopped.set()

    def close(self) -> None:
        """Stop what is going on and remove the files."""
        for making in self._made.values():
            making.stopped.set()
        shutil.rmtree(self.folder, ignore_errors=True)


def _run(making: ExportJob, work: Work) -> None:
    try:
        making.result = work(making)
    except Stopped:
        making.result = ""
    except BadInput as error:
        making.error = error
    except Exception as error:  # told on the page; the server goes on
        log.warning("a run could not be taken away: %s", error, exc_info=True)
        told = f"The file could not be created ({type(error).__name__}). Try again; the server log has details."
        making.error = BadInput(told, "export_failed", detail=type(error).__name__)
    finally:
        making.over.set()
