"""What the bot says to small talk: a few warm words that lead back to what the desk can do."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from core.base.frozen_model import FrozenModel
from core.base.types import Bot, Contact, Language
from core.bot.contacts import caring_contact, urgent_contact
from core.bot.small_talk.classifier import TalkKind
from core.text.trouble import trouble

SAMPLES = 2  # questions that are named as examples
FEW_CONTACTS = 3  # contacts that are all named
_VERB = re.compile(r"[A-Z][a-z]+s\b")


class Desk(FrozenModel):
    """What the bot tells of itself."""

    name: str = ""
    description: str = ""
    samples: tuple[str, ...] = ()
    language: Language = "ja"


def desk_of(bot: Bot) -> Desk:
    """The bot's name, what it covers and what it can be asked."""
    return Desk(name=bot.name, description=bot.description, samples=bot.samples, language=bot.language)


def small_talk_reply(
    kind: TalkKind,
    text: str,
    desk: Desk,
    contacts: Sequence[Contact],
    contact: Contact | None,
    language: Language,
    sections: Sequence[str] = (),
) -> str:
    """What the bot says to a message that is no request.

    contact: the one whose field the message touches, or the general one; sections: headings that may help.
    """
    name = trouble(text) if kind == "distress" else kind
    said = _texts()[name][language].format(
        name=desk.name,
        desk=_desk(desk, language),
        samples=_samples(desk, language),
        contact=_contact(_chosen(kind, name, contacts, contact), language),
        person=_person(contacts, contact, language) if kind == "person" else "",
        sections=_sections(sections, language),
    )
    return " ".join(said.split(" ")).strip()


def _chosen(kind: TalkKind, name: str, contacts: Sequence[Contact], contact: Contact | None) -> Contact | None:
    if kind == "emergency":
        return urgent_contact(contacts, contact)
    return caring_contact(contacts, contact) if kind == "distress" and name != "bereavement" else contact


def _person(contacts: Sequence[Contact], contact: Contact | None, language: Language) -> str:
    """The contact that fits, or all where there are few; else the question which one, whose names are the choices."""
    parts, space = _parts(), "" if language == "ja" else " "
    if contact:
        more = parts["other_contact"][language] if len(contacts) > 1 else ""
        return f"{_contact(contact, language)}{space}{more}"
    if len(contacts) <= FEW_CONTACTS:
        return space.join(_contact(one, language) for one in contacts)
    return parts["which_contact"][language]


def _sections(sections: Sequence[str], language: Language) -> str:
    return _parts()["sections"][language].format(names=_quoted(sections, language)) if sections else ""


def _quoted(names: Sequence[str], language: Language) -> str:
    return "".join(f"「{one}」" for one in names) if language == "ja" else ", ".join(f'"{one}"' for one in names)


def lead_in(kind: TalkKind, text: str, language: Language) -> str:
    """A word of sympathy, or of calm, before an answer or a question; empty for most messages."""
    found = {"danger": "in_danger", "bereavement": "sympathy", "harassment": "comfort"}.get(trouble(text), "")
    name = found or ("urgent" if kind == "emergency" else "")
    return _parts()[name][language] + ("" if language == "ja" else " ") if name else ""


def helpful_queries(kind: TalkKind, text: str, language: Language) -> tuple[str, ...]:
    """What to search for, the best first, so that sections can be named to somebody in trouble or who wants a person."""
    name = trouble(text) if kind == "distress" else kind
    return tuple(_texts()["searched"].get(name, {}).get(language, ()))


def elsewhere(desk: Desk, language: Language) -> str:
    """In which language the documents are, for somebody who writes in another one."""
    return "" if language == desk.language else _parts()["elsewhere"][language].strip()


def _desk(desk: Desk, language: Language) -> str:
    if not desk.description:
        return ""
    if language != desk.language:
        return f"{elsewhere(desk, language)}{'' if language == 'ja' else ' '}"
    if language == "ja":
        return desk.description
    said = desk.description.rstrip(".")
    return f"This desk {said[0].lower()}{said[1:]}. " if _VERB.match(said) else f"This desk: {said}. "


def _samples(desk: Desk, language: Language) -> str:
    chosen = desk.samples[:SAMPLES] if language == desk.language else ()
    if not chosen:
        return ""
    quoted = "".join(f"「{one}」" for one in chosen) if language == "ja" else " ".join(f'"{one}"' for one in chosen)
    return _parts()["samples"][language].format(quoted=quoted)


def _contact(contact: Contact | None, language: Language) -> str:
    return _parts()["contact"][language].format(name=contact.name, reach=contact.reach) if contact else ""


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("replies.toml").read_text("utf-8"))


@cache
def _parts() -> dict[str, dict[str, str]]:
    return _texts()["parts"]
