"""Messages in kana or with slips of the pen, read as the documents spell their words."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.types import Language, Message
from core.retrieval.index import Index
from core.text.distress.distress import distress_of
from core.text.language import script

TALK = Path(__file__).parents[1] / "small_talk" / "examples.toml"


def respelled(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, the person's own words spelt as the documents spell them: kana in Japanese, slips of the pen in
    English.

    What was offered as a choice stays as it is, and so do greetings and the like.
    """
    if index.language not in ("ja", "en"):
        return tuple(messages)
    unchanged = {*_small_talk(index.language), *(choice for message in messages for choice in message.choices)}
    found: list[Message] = []
    for message in messages:
        own = message.role == "user" and message.text.strip() not in unchanged
        text = _spelt(index, message.text) if own else message.text
        changed = {"text": text, "written": message.text}
        found.append(message.model_copy(update=changed) if text != message.text else message)
    return tuple(found)


def _spelt(index: Index, text: str) -> str:
    if index.language == "ja":
        return _mourned(index.kana_spelling(_small_talk("ja")).respelled(text))
    return index.latin_spelling.respelled(text) if script(text) == "en" else text


def _mourned(text: str) -> str:
    """The text, with who has died spelt as in documents: なくなる is said of things that are gone, too."""
    return text.replace("なくな", "亡くな") if "なくな" in text and distress_of(text).feeling == "bereavement" else text


@cache
def _small_talk(language: Language) -> tuple[str, ...]:
    """The lines of the examples of small talk: a greeting is spelt as they spell it."""
    stored = tomllib.loads(TALK.read_text("utf-8"))
    return tuple(line for kind in stored.values() for line in kind.get(language, "").splitlines() if line.strip())
