"""Respells messages as the documents spell their words: dialects and kana in Japanese, typos in English; and removes
markup."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.types import Language, Message
from core.retrieval.index import Index
from core.text.conversation import map_user_messages
from core.text.dialect import standard_japanese
from core.text.distress.distress import distress_of
from core.text.language import script

_TAG = re.compile(
    r"</?(?P<name>[abipqsu]|br|em|li|ol|tt|ul|h[1-6]|big|del|div|img|ins|pre|sub|sup|code|font|mark|span|small|strong)"
    r"(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_BREAKS = ("br", "li", "ol", "ul", "div", "p", "pre")  # tags between which words are apart
_EMPHASIS = re.compile(
    r"(?<![0-9A-Za-z])(\*{1,3}|`{1,3})(?=\S)([^*`\n]{1,100}?)(?<=\S)\1|(?P<dollar>\$(?=[^\W\d])(?:([^\W\d]\w*)\$)?)"
)
SMALL_TALK_EXAMPLES = Path(__file__).parents[1] / "message_kind" / "examples.toml"


def respelled(index: Index, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages, the user's spelt as in the documents and without markup.

    Choices that were offered stay as they are, and so do greetings and the like.
    """
    greetings = _small_talk(index.language) if index.language in ("ja", "en") else ()
    unchanged = {*greetings, *(choice for message in messages for choice in message.choices)}
    return map_user_messages(messages, lambda text: text if text.strip() in unchanged else _spelt(index, text))


def without_markup(text: str) -> str:
    """The text without HTML tags and the marks for bold, code and formulas."""
    text = _TAG.sub(lambda found: " " if found["name"].lower() in _BREAKS else "", text)
    return _EMPHASIS.sub(lambda found: found[2] or found[4] or "", text)


def _spelt(index: Index, text: str) -> str:
    text = index.vocabulary.with_documented_codes(without_markup(text) or text)
    if index.language == "ja":
        return _with_death_spelling(
            index.vocabulary.kana_spelling(_small_talk("ja")).respelled(standard_japanese(text))
        )
    spells = index.language == "en" and script(text) == "en"
    return index.vocabulary.latin_spelling.respelled(text) if spells else text


def _with_death_spelling(text: str) -> str:
    """The text with 亡くなる for なくなる if it is about a death: in kana it also means that a thing is gone."""
    return text.replace("なくな", "亡くな") if "なくな" in text and distress_of(text).feeling == "bereavement" else text


@cache
def _small_talk(language: Language) -> tuple[str, ...]:
    """The example lines of small talk, whose spelling stays as it is."""
    stored = tomllib.loads(SMALL_TALK_EXAMPLES.read_text("utf-8"))
    return tuple(line for kind in stored.values() for line in kind.get(language, "").splitlines() if line.strip())
