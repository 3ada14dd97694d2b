"""Reads files, and writes them so that a crash leaves either the old file or the new one."""

import errno
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from core.base.errors import BadInput


def write_bytes(file: Path, data: bytes) -> None:
    """Replace `file` with `data` in one step; raises BadInput if the folder cannot be written."""
    with replacing(file) as out:
        out.write(data)


@contextmanager
def replacing(file: Path) -> Generator[BinaryIO]:
    """A new file to write to, which replaces `file` once all is written; after an error it is removed.

    A device or a pipe (`/dev/stdout`) stays and gets all bytes at the end; the target of a link is replaced. Raises
    BadInput if it cannot be written.
    """
    if file.exists() and not file.is_file():
        with _passed_on(file) as out:
            yield out
        return
    file = resolve_path(file) if file.is_symlink() else file
    temporary = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "w+b") as out:
            yield out
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except OSError as error:
        raise unwritable(file, error) from error
    finally:
        with suppress(OSError):  # it is gone already if it took the file's place
            os.unlink(temporary)


def resolve_path(file: Path) -> Path:
    """The target of a path; raises BadInput for a loop of links."""
    try:
        return file.resolve()
    except (OSError, RuntimeError) as error:  # Python 3.11 and 3.12 raise RuntimeError
        raise unwritable(file, OSError(errno.ELOOP, os.strerror(errno.ELOOP))) from error


def check_writable(file: Path) -> None:
    """Raises BadInput if no new file can be created next to `file`; creates its folder."""
    if file.is_symlink():
        resolve_path(file)
    if file.exists() and not file.is_file():
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=file.parent):
            pass
    except OSError as error:
        raise unwritable(file, error) from error


@contextmanager
def _passed_on(file: Path) -> Generator[BinaryIO]:
    """A temporary file whose bytes go to a device or a pipe at the end; raises BadInput (also for a folder)."""
    try:
        with tempfile.TemporaryFile() as whole, file.open("wb") as out:
            yield whole
            whole.seek(0)
            shutil.copyfileobj(whole, out)
    except OSError as error:
        raise unwritable(file, error) from error


def unwritable(file: Path, error: OSError) -> BadInput:
    """The error for a file that cannot be written: `no_room` on a full disk, else `not_writable`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        message = f"{file.name} could not be written: the disk is full. Free some space and try again."
        return BadInput(message, "no_room", file=file.name)
    folder = file.parent.name or str(file.parent)
    return BadInput(
        f"{file.name} could not be written ({error.strerror}). Make the folder {folder} writable and try again.",
        "not_writable",
        file=file.name,
        folder=folder,
        detail=error.strerror,
    )


def write_text(file: Path, text: str) -> None:
    """`write_bytes` with UTF-8 text."""
    write_bytes(file, text.encode("utf-8"))


def read_bytes(file: Path) -> bytes:
    """The bytes of a user's file; raises BadInput (`file_unreadable`) if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        name, detail = f"{file.parent.name}/{file.name}", error.strerror or type(error).__name__
        message = f"{name} cannot be read ({detail}). Make it readable, or remove it."
        raise BadInput(message, "file_unreadable", file=name, detail=detail) from error
