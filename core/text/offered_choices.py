"""The choices that a text offers."""

from __future__ import annotations

import re

from core.text.language import sentences

_EITHER = (
    re.compile(r"([^、。?？]{1,20}?)(?:です|ます)か、(?:それとも)?([^、。?？]{1,20}?)(?:です|ます)か"),
    re.compile(r"([^、。?？「」]{1,20}?)と([^、。?？「」]{1,20}?)(?:の|、)?(?:どちら|どっち)"),
    re.compile(
        r"(?:[:,;] |is it |do you mean |do you use |by |with |about )?([\w'’ -]{2,30}?),? or ([\w'’ -]{2,30}?)\?", re.I
    ),
)
_BETWEEN = re.compile(r"(?:(?<!\s)\s++)?[/／]\s*|、(?:または|それとも)?|,\s*+(?:or\s+)?|(?<!\s)\s++or\s+|それとも")
_OR = re.compile(r"[/／]|または|それとも|\sor\s")
_CHOICE_LINE = re.compile(r"^\s*(?:[-*・•]|\d{1,2}[.)．）]|[①-⑨])\s*\S", re.MULTILINE)
_OFFERED = re.compile(r"「([^」]{1,60})」|『([^』]{1,60})』|[\"“]([^\"”]{2,60})[\"”]")


def listed_choices(text: str) -> tuple[str, ...]:
    """The choices that a text offers: quoted, a line each, or joined by "or" or slashes."""
    quoted = tuple("".join(match) for match in _OFFERED.findall(text))
    if len(quoted) >= 2:
        return quoted
    lines = tuple(line.strip(" -*・•") for line in text.splitlines() if _CHOICE_LINE.match(line))
    if len(lines) >= 2:
        return lines
    last = (sentences(text) or ("",))[-1]
    found = next((match for pattern in _EITHER if (match := pattern.search(last))), None)
    if found:
        return tuple(part.strip(" 、は") for part in found.groups())
    choosing = [sentence for sentence in sentences(text) if _OR.search(sentence)]
    parts = max((_BETWEEN.split(sentence) for sentence in choosing), key=len, default=[""])
    return tuple(part for part in parts if part.strip()) if len(parts) >= 2 else ()
