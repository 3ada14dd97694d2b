"""The personas: `knowledge/personas.toml` for all bots, `personas.toml` in a bot's folder for that bot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import tomlkit
from pydantic import Field, ValidationError

from core.base.errors import BadInput
from core.base.field_faults import broken_file, field_fault
from core.base.files import read_bytes, write_text
from core.base.frozen_model import FrozenModel
from core.base.settings import settings
from core.base.toml import TomlFault, parse_document, parse_toml
from core.base.types import Bot, Language, Persona, Voice
from core.base.unused_name import first_duplicate

_ID = re.compile(r"[a-z0-9_-]+")
_OTHER: dict[Language, Language] = {"ja": "en", "en": "ja"}


class _LocalizedPersona(FrozenModel):
    """A persona in one language, as the file has it."""

    name: str = Field(min_length=1)
    description: str = ""
    profile: str = ""
    known: str = ""
    voice: Voice = Voice()


class _PersonaRow(FrozenModel):
    """A persona in both languages, as the file has it."""

    id: str
    ja: _LocalizedPersona | None = None
    en: _LocalizedPersona | None = None


def read_personas(language: Language, bot: Bot | None = None) -> list[Persona]:
    """The personas in one language: the shared ones, then a bot's own, which replace shared ones of the same id.

    A persona that is not written in `language` is returned in the other one. Raises BadInput (`broken_personas`,
    `broken_persona`).
    """
    files = [_file()] + ([_file(bot)] if bot else [])
    personas = {row.id: _persona(row, language) for file in files for row in _rows(file)}
    return list(personas.values())


def write_personas(personas: Sequence[Persona], language: Language) -> None:
    """Write the shared personas in `language`; personas that are left out are removed in both languages.

    The other language and the comments stay. Raises BadInput for a wrong or repeated id (`[a-z0-9_-]+`) and an empty
    name.
    """
    _check(personas)
    before = {persona.id: persona for persona in read_personas(language)}
    document = _document(_file())
    tables = document.setdefault("personas", tomlkit.aot())
    for place in reversed(range(len(tables))):
        if tables[place]["id"] not in {persona.id for persona in personas}:
            del tables[place]
    for persona in personas:
        if before.get(persona.id) != persona:
            _put(tables, persona, language)
    write_text(_file(), tomlkit.dumps(document))


def _file(bot: Bot | None = None) -> Path:
    return (bot.folder if bot else settings().knowledge_dir) / "personas.toml"


def _document(file: Path) -> Any:
    """The file as tomlkit has it; an empty document if there is none."""
    try:
        return parse_document(read_bytes(file) if file.is_file() else b"")
    except TomlFault as fault:
        raise _file_error(file, fault) from fault


def _rows(file: Path) -> list[_PersonaRow]:
    """The checked rows of a file."""
    try:
        tables: Any = parse_toml(read_bytes(file) if file.is_file() else b"").get("personas", [])
    except TomlFault as fault:
        raise _file_error(file, fault) from fault
    if not isinstance(tables, list):
        raise _file_error(file, TomlFault("personas must be written as [[personas]]", "personas", table="personas"))
    rows = [_row(file, number, table) for number, table in enumerate(cast("list[Any]", tables), start=1)]
    if duplicate := first_duplicate([row.id for row in rows]):
        message = f"the id {duplicate!r} is used twice"
        raise _file_error(file, TomlFault(message, "id_twice", id=duplicate))
    return rows


def _row(file: Path, number: int, table: Any) -> _PersonaRow:
    try:
        row = _PersonaRow.model_validate(table)
    except ValidationError as error:
        raise _file_error(file, field_fault(error, f"persona {number}, "), number) from error
    if not (row.ja or row.en):
        raise _file_error(
            file, TomlFault(f"persona {number}: neither [personas.ja] nor [personas.en]", "no_side"), number
        )
    if not _ID.fullmatch(row.id):
        message = f"persona {number}: id {row.id!r} needs a-z, 0-9, - or _ only"
        raise _file_error(file, TomlFault(message, "persona_id", persona=row.id), number)
    return row


def _file_error(file: Path, fault: TomlFault, number: int = 0) -> BadInput:
    """The error of a persona (`number` from 1) or of the whole file (0)."""
    key = "broken_persona" if number else "broken_personas"
    return broken_file(f"{file.parent.name}/{file.name}", fault, key=key, number=number)


def _persona(row: _PersonaRow, language: Language) -> Persona:
    side = getattr(row, language) or getattr(row, _OTHER[language])
    return Persona(id=row.id, **dict(side))


def _check(personas: Sequence[Persona]) -> None:
    for persona in personas:
        if not _ID.fullmatch(persona.id) or not persona.name.strip():
            raise BadInput(
                f"The persona {persona.id or persona.name!r} needs a name, and an id of a-z, 0-9, - and _ only. "
                "Correct it and save again.",
                "persona_id",
                persona=persona.id or persona.name,
            )
    if duplicate := first_duplicate([persona.id for persona in personas]):
        raise BadInput(
            f"The id {duplicate!r} is used twice. Give each persona its own id.", "duplicate_id", id=duplicate
        )


def _put(tables: Any, persona: Persona, language: Language) -> None:
    """Write one language of a persona into its table, or into a new one."""
    table = next((existing for existing in tables if existing["id"] == persona.id), None)
    if table is None:
        table = tomlkit.table()
        table.add("id", persona.id)
        tables.append(table)
        table = tables[-1]
    side = table.setdefault(language, tomlkit.table())
    for field in ("name", "description", "profile"):
        side[field] = getattr(persona, field)
    if persona.known:
        side["known"] = persona.known
    else:
        side.pop("known", None)
    voice = {group: list(patterns) for group, patterns in persona.voice if patterns}
    if voice:
        _put_voice(side, voice)
    else:
        side.pop("voice", None)


def _put_voice(side: Any, voice: dict[str, list[str]]) -> None:
    """Write the patterns, one on a line; those that are as before keep their form."""
    table = side.setdefault("voice", tomlkit.table())
    for group in set(table) - set(voice):
        del table[group]
    for group, patterns in voice.items():
        if group not in table or list(table[group]) != patterns:
            lines: Any = tomlkit.array().multiline(True)
            lines.extend(patterns)
            table[group] = lines
