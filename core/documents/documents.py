"""The documents of a bot: Markdown, text and tables in its `documents/` folder."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from core.base.errors import BadInput
from core.base.files import write_bytes
from core.base.settings import settings
from core.base.types import Bot
from core.documents.table_files import TABLE_ENDINGS, is_table_file, table_file_text

ENDINGS = (".md", ".txt", *TABLE_ENDINGS)
ENDINGS_TEXT = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"  # for messages
_REFUSED = re.compile(r"[/\\\x00-\x1f<>:\"|?*]")
MAX_NAME_CHARACTERS = 120  # of a document's name
MAX_BYTES = 5_000_000  # bytes of one document
MAX_HEADINGS = 5_000  # headings of one document; each begins a passage
_HEADING = re.compile(r"^ {0,3}#{1,6}(?=[ \t\n])", re.MULTILINE)


class Document(NamedTuple):
    """One file: its name and its text, a table's in Markdown."""

    name: str
    text: str


class SkippedFile(NamedTuple):
    """A file in the documents folder that is not read."""

    name: str
    why: BadInput  # the reason, with what to do


class RemovedDocument(NamedTuple):
    """A document that a user removed."""

    name: str
    at: datetime  # when it was removed
    place: Path  # where its text is stored


def read_documents(bot: Bot) -> list[Document]:
    """Every readable document of the bot, by name; the others are skipped (see `unreadable`)."""
    read = ((name, _read(name, path)) for name, path in _files(bot))
    return [Document(name, text) for name, text in read if isinstance(text, str)]


def unreadable(bot: Bot) -> list[str]:
    """The names of the documents that cannot be read: no text, broken tables, too large, or without permission."""
    return [name for name, path in _files(bot) if not isinstance(_read(name, path), str)]


def skipped_files(bot: Bot) -> list[SkippedFile]:
    """Each file of the documents folder that is skipped: unreadable documents first, then files of other kinds."""
    folder, documents = bot.folder / "documents", dict(_files(bot))
    read = [(name, _read(name, path)) for name, path in documents.items()]
    others = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    return [SkippedFile(name, why) for name, why in read if not isinstance(why, str)] + [
        SkippedFile(other.as_posix(), foreign_file(other.as_posix()))
        for other in others
        if other.as_posix() not in documents and not any(part.startswith(".") for part in other.parts)
    ]


def _read(name: str, path: Path) -> str | BadInput:
    """The text of a document; why it cannot be read if it cannot."""
    try:
        return document_text(name, path.read_bytes())
    except BadInput as error:
        return error
    except OSError as error:
        message = f"{name} cannot be read ({error.strerror}). Make it readable and try again."
        return BadInput(message, "not_readable", file=name, detail=error.strerror)


def foreign_file(name: str) -> BadInput:
    """The error for a file of another kind (.docx, .html, .pdf): which kinds can be read, and how to convert it."""
    advice = "Save its text as one of them (in Word: Plain Text; in Excel: CSV UTF-8)."
    return BadInput(f"{name} is not a {ENDINGS_TEXT} file. {advice}", "foreign_file", file=name)


def _files(bot: Bot) -> list[tuple[str, Path]]:
    """(name, place) of every file that should be a document, by name."""
    folder = bot.folder / "documents"
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in ENDINGS and path.is_file())
    named = ((path.relative_to(folder), path) for path in paths)
    return [(name.as_posix(), path) for name, path in named if not any(part.startswith(".") for part in name.parts)]


def document_text(name: str, data: bytes) -> str:
    """The text of a document's file; a table (.csv, .tsv) as a Markdown table. Raises BadInput if it cannot be read."""
    if not is_table_file(name):
        return decode(name, data)
    return _bounded(name, table_file_text(name, data) if len(data) <= MAX_BYTES else "", len(data))


def text_name(name: str) -> str:
    """The name under which the text of a document is stored in a file of its own: that of a table is Markdown."""
    return name if name.lower().endswith((".md", ".txt")) else f"{name.rpartition('.')[0] or name}.md"


def decode(name: str, data: bytes) -> str:
    """The file's text (UTF-8, with or without a byte order mark); raises BadInput for other bytes, or too many."""
    try:
        return _bounded(name, data.decode("utf-8-sig"), len(data))
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8 text (byte {error.start}). Save it as UTF-8 and add it again."
        raise BadInput(message, "not_utf8", file=name, position=error.start) from error


def _bounded(name: str, text: str, size: int) -> str:
    headings = len(_HEADING.findall(text)) if size <= MAX_BYTES else 0
    if size <= MAX_BYTES and headings <= MAX_HEADINGS:
        return text
    limits = {"most_bytes": MAX_BYTES, "most_headings": MAX_HEADINGS}
    message = (
        f"{name} is too large: {size:,} bytes and {headings:,} headings; the limits are {MAX_BYTES:,} and "
        f"{MAX_HEADINGS:,}. Split it into several documents."
    )
    raise BadInput(message, "long_document", file=name, bytes=size, headings=headings, **limits)


def add_document(bot: Bot, name: str, data: bytes) -> Path:
    """Store an uploaded file, also in place of one of its name; raises BadInput for an empty, foreign or unreadable one."""
    _check_name(name)
    if not document_text(name, data).strip():
        message = f"{name} has no text ({len(data)} bytes). Write some and add it again."
        raise BadInput(message, "empty_document", file=name, bytes=len(data))
    file = bot.folder / "documents" / name
    write_bytes(file, data)
    return file


def _check_name(name: str) -> None:
    """Raises BadInput for a name with a wrong ending (`foreign_file`), letter or length (`document_name`)."""
    refused = dict.fromkeys(_REFUSED.findall(name))
    letters = " ".join(letter if letter.isprintable() else repr(letter) for letter in refused)
    if Path(name).suffix.lower() not in ENDINGS:
        raise foreign_file(name[:80])
    if letters:
        why, detail = "letters", f"its name must not have {letters}"
    elif name.startswith("."):
        why, detail = "dot", "its name must not begin with a full stop"
    elif len(name) > MAX_NAME_CHARACTERS:
        why, detail = "long", f"its name has {len(name)} characters; at most {MAX_NAME_CHARACTERS} can be used"
    else:
        return
    message = f"{name[:80]!r} cannot be a document: {detail}. Rename it and add it again."
    details = {"detail": detail, "why": why, "letters": letters, "length": len(name), "most": MAX_NAME_CHARACTERS}
    raise BadInput(message, "document_name", file=name[:80], **details)


def remove_document(bot: Bot, name: str) -> bytes:
    """Move a document to the data folder (see `removed_documents`); raises BadInput if it is not there."""
    file = bot.folder / "documents" / name
    if not file.resolve().is_relative_to((bot.folder / "documents").resolve()) or not file.is_file():
        raise _no_document(name)
    backup: Path | None = None
    try:
        data = file.read_bytes()
        backup = _removed_folder(bot) / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}" / name
        write_bytes(backup, data)
        file.unlink()
    except OSError as error:
        if backup is not None:
            backup.unlink(missing_ok=True)
        message = f"{name} could not be removed ({error.strerror}). Make the folder writable and try again."
        details = {"folder": "documents", "detail": error.strerror}
        raise BadInput(message, "not_writable", file=name, **details) from error
    return data


def removed_documents(bot: Bot) -> list[RemovedDocument]:
    """The removed documents, latest first, without those that were restored."""
    folder, found = _removed_folder(bot), list[RemovedDocument]()
    for path in folder.glob("*/**/*"):
        if path.is_file() and not path.name.startswith("."):
            moment, *name = path.relative_to(folder).parts
            found.append(RemovedDocument("/".join(name), _moment(moment), path))
    return sorted(found, key=lambda removed: removed.at, reverse=True)


def restore_document(bot: Bot, removed: RemovedDocument) -> None:
    """Restore a document; one that has its name by now is removed (and stored) in turn. Raises BadInput."""
    file = bot.folder / "documents" / removed.name
    if not removed.place.is_file():
        raise _no_document(removed.name)
    data = removed.place.read_bytes()
    if file.is_file():
        remove_document(bot, removed.name)
    write_bytes(file, data)
    with suppress(OSError):
        removed.place.unlink()


def _no_document(name: str) -> BadInput:
    return BadInput(f"There is no document {name!r}. Reload the page and choose again.", "no_document", file=name)


def _removed_folder(bot: Bot) -> Path:
    return settings().data_dir / "removed" / bot.id


def _moment(name: str) -> datetime:
    try:
        return datetime.strptime(name, "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)


def digest(documents: list[Document]) -> str:
    """SHA-256 over names and texts: equal exactly when the documents are."""
    seen = hashlib.sha256()
    for document in documents:
        seen.update(f"{len(document.name)}:{document.name}:{len(document.text)}:{document.text}".encode())
    return seen.hexdigest()
