"""Writing files so that a crash leaves the old one or the new one."""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from core.base.errors import BadInput


def write_bytes(file: Path, data: bytes) -> None:
    """Replace `file` with `data` in one step; raises BadInput where the folder cannot be written."""
    with replacing(file) as out:
        out.write(data)


@contextmanager
def replacing(file: Path) -> Generator[BinaryIO]:
    """A new file to write to, which takes the place of `file` once all is written; after an error nothing of it is left.

    A device or a pipe is written to as it is: /dev/null, replaced by a file, would be gone for the whole machine. Raises
    BadInput where it cannot be written.
    """
    temporary = ""
    try:
        if file.exists() and not file.is_file():
            with file.open("wb") as out:
                yield out
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "w+b") as out:
            yield out
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except OSError as error:
        raise _unwritable(file, error) from error
    finally:
        with suppress(OSError):  # it is gone already where it took the file's place
            os.unlink(temporary)


def _unwritable(file: Path, error: OSError) -> BadInput:
    return BadInput(
        f"{file.name} could not be written ({error.strerror}). Make the folder {file.parent.name} writable and try again.",
        "not_writable",
        file=file.name,
        folder=file.parent.name,
        detail=error.strerror,
    )


def write_text(file: Path, text: str) -> None:
    """`write_bytes` with UTF-8 text."""
    write_bytes(file, text.encode("utf-8"))
