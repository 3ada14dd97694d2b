"""Writing files so that a crash leaves the old one or the new one."""

import os
import tempfile
from pathlib import Path

from core.base.errors import BadInput


def write_bytes(file: Path, data: bytes) -> None:
    """Replace `file` with `data` in one step; raises BadInput where the folder cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, file)
    except OSError as error:
        raise BadInput(
            f"{file.name} could not be written ({error.strerror}). Make the folder {file.parent.name} writable and try again.",
            "not_writable",
            file=file.name,
            folder=file.parent.name,
            detail=error.strerror,
        ) from error


def write_text(file: Path, text: str) -> None:
    """`write_bytes` with UTF-8 text."""
    write_bytes(file, text.encode("utf-8"))
