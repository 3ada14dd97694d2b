"""What the bot says to small talk: a few warm words that lead back to what the desk can do."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.frozen_model import FrozenModel
from core.base.types import Bot, Contact, Language
from core.bot.small_talk.classifier import TalkKind
from core.text.normalize import normalize

SAMPLES = 2  # questions that are named as examples
MOST_CONTACTS = 10
_VERB = re.compile(r"[A-Z][a-z]+s\b")
_CARING = re.compile(
    r"ハラ|相談|嫌がらせ|健康|産業医|労務|人事|いじめ|harass|abuse|people|well-?being|care", re.IGNORECASE
)
_BEREAVED = re.compile(
    r"(?:父|母|親|夫|妻|子|娘|息子|兄|弟|姉|妹|祖|家族|身内|親戚|親族|友|人|おじ|おば|じい|ばあ)[^。！!?？]{0,12}(?:亡くな|亡くし|逝去|他界|不幸)"
    r"|(?:身内|家|親戚)[^。]{0,4}不幸|訃報"
    r"|\b(?:mother|father|mum|mom|dad|parents?|husband|wife|son|daughter|brother|sister|grand\w+|uncle|aunt|friend|partner"
    r"|colleague|family|relative|someone)\b[^.!?]{0,30}\b(?:died|passed away|has died)|\blost my (?:mother|father|husband|wife|son|daughter|brother|sister)",
    re.IGNORECASE,
)


class Desk(FrozenModel):
    """What the bot tells of itself."""

    name: str = ""
    description: str = ""
    samples: tuple[str, ...] = ()
    language: Language = "ja"


def desk_of(bot: Bot) -> Desk:
    """The bot's name, what it covers and what it can be asked."""
    return Desk(name=bot.name, description=bot.description, samples=bot.samples, language=bot.language)


def is_bereaved(text: str) -> bool:
    """Whether a message tells of a death."""
    return bool(_BEREAVED.search(normalize(text)))


def small_talk_reply(
    kind: TalkKind, text: str, desk: Desk, contacts: Sequence[Contact], contact: Contact | None, language: Language
) -> str:
    """What the bot says to a message that is no request; `contact` is the one whose field the message touches."""
    name = "bereavement" if kind == "distress" and is_bereaved(text) else kind
    if kind == "distress":
        contact = max(contacts, key=_caring, default=contact)
    said = _texts()[name][language].format(
        name=desk.name,
        desk=_desk(desk, language),
        samples=_samples(desk, language),
        contact=_contact(contact, language),
        contacts="\n".join(f"- {one.name}: {one.reach}" for one in contacts[:MOST_CONTACTS]),
    )
    return said.strip()


def _caring(contact: Contact) -> int:
    """How many words of the contact's field are about people in trouble."""
    return len(_CARING.findall(f"{contact.name} {' '.join(contact.topics)}"))


def lead_in(kind: TalkKind, text: str, language: Language) -> str:
    """A word of sympathy, or of calm, before an answer or a question; empty for most messages."""
    name = "sympathy" if is_bereaved(text) else "urgent" if kind == "emergency" else ""
    return _parts()[name][language] if name else ""


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
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("replies.toml").read_text("utf-8"))


@cache
def _parts() -> dict[str, dict[str, str]]:
    return tomllib.loads(Path(__file__).with_name("replies.toml").read_text("utf-8"))["parts"]
