"""Putting something to say into a persona's voice."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

from core.base.types import FrozenModel, Language, Persona, Voice
from core.simulation import phrases_en as phrase_en
from core.simulation import phrases_ja as phrase_ja
from core.simulation.phrases import Saying, ends
from core.text.language import language_of

Group = Literal["answer", "unknown", "follow_up", "done", "unmet"]
_HOLE = re.compile(r"\{(text|bare)\}")
_PARTICLE = re.compile(r"^(?:が|けど|けれど|から|ので|よ|ね|って|し)")
_STOP = re.compile(r"[。．.！!…]+")


class Manner(FrozenModel):
    """What a description says of how somebody talks: a sentence to put in front, in both languages."""

    words: str
    ja: tuple[str, ...]
    en: tuple[str, ...]
    short: bool = False


def draw(count: int, *keys: object) -> int:
    """A number below `count`, always the same for the same keys (BLAKE2b, not Python's salted hash)."""
    digest = hashlib.blake2b("\x1f".join(map(str, keys)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % count


def speak(
    persona: Persona, group: Group, saying: Saying | None, language: Language, said: Sequence[str], key: str
) -> str:
    """What `persona` says: a pattern of `group` filled with `saying`, rather not one that it has used before."""
    voice, own = voice_of(persona, language)
    usable = [pattern for pattern in getattr(voice, group) if _usable(pattern, saying)] or [
        "{text}。" if language == "ja" else "{text}."
    ]
    start = draw(len(usable), key, group)
    turned = usable[start:] + usable[:start]
    pattern = next((one for one in turned if not _used(one, said)), turned[0])
    text = fill(pattern, saying, language) if saying else pattern
    return text if own else _mannered(persona, text, saying, language, key)


def fill(pattern: str, saying: Saying, language: Language) -> str:
    """The pattern with its hole filled and joints smoothed: no doubled marks, たいですが as たいんですが, "It" as "it"."""
    hole = _HOLE.search(pattern)
    if not hole:
        return pattern
    before, after = pattern[: hole.start()], pattern[hole.end() :]
    text = saying.bare if hole[1] == "bare" else saying.text
    if ends(text):
        after = re.sub(r"^(?:[。.]|[！!]+|…+。?)", "", after)
    if language == "ja":
        if _PARTICLE.match(after):
            text = re.sub(r"(たい|ほしい)です$", r"\1んです", text)
        return before + text + after
    inside = before.rstrip(" \"'“(—") and not before.rstrip(" \"'“(—").endswith((".", "!", "?", "…"))
    text = phrase_en.uncapital(text) if inside else phrase_en.capital(text)
    gap = " " if ends(text) and re.match(r"[A-Z]", after) else ""
    return before + text + gap + after


def voice_of(persona: Persona, language: Language) -> tuple[Voice, bool]:
    """(voice, whether it is the persona's own); groups it lacks, or has in another language, are the neutral ones."""
    neutral = _neutral(language)
    own = {
        group: patterns
        for group, patterns in persona.voice
        if patterns and language_of("".join(patterns), language) == language
    }
    return neutral.model_copy(update=own), bool(own)


@lru_cache(maxsize=512)
def manner_of(description: str) -> Manner | None:
    """The manner that a description names first in the table, if any."""
    return next((manner for manner in _manners() if re.search(manner.words, description, re.IGNORECASE)), None)


def _mannered(persona: Persona, text: str, saying: Saying | None, language: Language, key: str) -> str:
    """The neutral sentence with a manner before it, in two of three messages; who has no time says the least."""
    manner = manner_of(f"{persona.name} {persona.description} {persona.profile}")
    if manner is None:
        return text
    if manner.short and saying:
        text = saying.bare + ("" if ends(saying.bare) else "。" if language == "ja" else ".")
    if draw(3, key, "manner") == 0:
        return text
    lead = manner.ja if language == "ja" else manner.en
    return lead[draw(len(lead), key, "lead")] + ("" if language == "ja" else " ") + text


def _usable(pattern: str, saying: Saying | None) -> bool:
    """A pattern needs a hole exactly when there is something to say; a question cannot be followed by けど or a comma."""
    hole = _HOLE.search(pattern)
    if saying is None or hole is None:
        return saying is None and hole is None
    after = pattern[hole.end() :]
    return not phrase_ja.asks(saying.text) or not after or bool(_STOP.match(after))


def _used(pattern: str, said: Sequence[str]) -> bool:
    """Whether the fixed words of the pattern stand in an earlier message."""
    fixed = [part.strip(" 。、.,!！…") for part in re.split(r"\{(?:text|bare)\}", pattern)]
    longest = max(fixed, key=len)
    return len(longest) >= 2 and any(longest in text for text in said)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("voices.toml").read_text("utf-8"))


@cache
def _neutral(language: Language) -> Voice:
    return Voice.model_validate(_table()[language]["voice"])


@cache
def _manners() -> tuple[Manner, ...]:
    return tuple(Manner.model_validate(row) for row in _table()["manners"])
