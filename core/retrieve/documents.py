"""The documents of a bot: Markdown and text files in its `documents/` folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from core.base.errors import BadInput
from core.base.files import write_bytes
from core.base.types import Bot

ENDINGS = (".md", ".txt")
_FILE = re.compile(r"[^/\\\x00-\x1f<>:\"|?*]{1,120}")


class Document(NamedTuple):
    """One file: its name and its text."""

    name: str
    text: str


def read_documents(bot: Bot) -> list[Document]:
    """Every document of the bot, by name; a file that is not UTF-8 raises BadInput."""
    folder = bot.folder / "documents"
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in ENDINGS and path.is_file())
    return [Document(path.relative_to(folder).as_posix(), decode(path.name, path.read_bytes())) for path in paths]


def decode(name: str, data: bytes) -> str:
    """The file's text (UTF-8, with or without a byte order mark)."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{name} is not UTF-8 text (byte {error.start}). Save it as UTF-8 and add it again.",
            "not_utf8",
            file=name,
            position=error.start,
        ) from error


def add_document(bot: Bot, name: str, data: bytes) -> Path:
    """Store an uploaded file (replacing one of the same name); raises BadInput for an empty, foreign or unreadable one."""
    if not _FILE.fullmatch(name) or name.startswith(".") or Path(name).suffix.lower() not in ENDINGS:
        raise BadInput(
            f"{name[:80]!r} cannot be a document: its name must end in .md or .txt. Rename or convert it and add it again.",
            "document_name",
            file=name[:80],
        )
    if not decode(name, data).strip():
        raise BadInput(
            f"{name} holds no text ({len(data)} bytes). Put some text in it and add it again.",
            "empty_document",
            file=name,
            bytes=len(data),
        )
    file = bot.folder / "documents" / name
    write_bytes(file, data)
    return file


def remove_document(bot: Bot, name: str) -> bytes:
    """Take a document away; its bytes come back so that this can be undone. Raises BadInput where it is not there."""
    file = bot.folder / "documents" / name
    if file.resolve().parent != (bot.folder / "documents").resolve() or not file.is_file():
        raise BadInput(
            f"There is no document {name!r}. Reload the page and choose again.",
            "no_document",
            file=name,
        )
    data = file.read_bytes()
    try:
        file.unlink()
    except OSError as error:
        raise BadInput(
            f"{name} could not be removed ({error.strerror}). Make the folder writable and try again.",
            "not_writable",
            file=name,
            folder="documents",
            detail=error.strerror,
        ) from error
    return data


def digest(documents: list[Document]) -> str:
    """SHA-256 over names and texts: equal exactly when the documents are."""
    seen = hashlib.sha256()
    for document in documents:
        seen.update(f"{len(document.name)}:{document.name}:{len(document.text)}:{document.text}".encode())
    return seen.hexdigest()
