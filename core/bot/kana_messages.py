"""Messages in kana, read as the documents spell their words."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.types import Message
from core.retrieval.index import Index
from core.text.sympathy import feeling

TALK = Path(__file__).with_name("small_talk") / "examples.toml"


def respelled(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, the kana of the person's own words spelt as Japanese documents spell them.

    What was offered as a choice stays as it is, and so do greetings and the like.
    """
    if index.script != "ja":
        return tuple(messages)
    kept = {*_small_talk(), *(choice for message in messages for choice in message.choices)}
    spelling = index.kana_spelling(_small_talk())
    found: list[Message] = []
    for message in messages:
        own = message.role == "user" and message.text.strip() not in kept
        text = _mourned(spelling.respelled(message.text)) if own else message.text
        changed = {"text": text, "written": message.text}
        found.append(message.model_copy(update=changed) if text != message.text else message)
    return tuple(found)


def _mourned(text: str) -> str:
    """The text, with who has died spelt as in documents: なくなる is said of things that are gone, too."""
    return text.replace("なくな", "亡くな") if "なくな" in text and feeling(text) == "bereavement" else text


@cache
def _small_talk() -> tuple[str, ...]:
    """The Japanese lines of the examples of small talk: a greeting is spelt as they spell it."""
    stored = tomllib.loads(TALK.read_text("utf-8"))
    return tuple(line for kind in stored.values() for line in kind.get("ja", "").splitlines() if line.strip())
