"""Whether something bad has happened, or is only asked about: a case, a rule, a precaution."""

from __future__ import annotations

import re

_CASES_EN = r"if|whether|suppose|supposing|in case|whenever|in the event"
_BEFORE_EN = re.compile(
    rf"\b(?:{_CASES_EN}|could|might|how (?:do|can|would|will|should) (?:i|we|you) (?:know|tell|see|find out|prevent|stop|avoid|keep)|so that|when (?:an?|some\w+|people|users?|the (?:user|owner)))\b"
)
_BEHIND_JA = re.compile(
    r"[^。、]{0,8}(?:場合|とき|時[はのに]|際[はのに])|[^。、]{0,4}(?:たら|れば|ても|ないよう|ないため|防)|(?:た|て(?:しま)?(?:う|った))?ら"
)
_CASE = re.compile(
    rf"場合|(?:た|の)(?:とき|際)(?:は|の|に|、|$)|(?:た|て(?:しまっ)?た)ら|防(?:ぐ|止)|\b(?:{_CASES_EN}|when (?:an?|some\w+|people|users?))\b"
)
_PRECAUTION = re.compile(
    r"(?:ない|する)(?:よう|ため)|対策|備え|とは[?？]?$"
    r"|\b(?:when the \w+|what (?:happens|should|do|to|counts)|prevent|protect|avoid|how (?:do|can|would|will|should) (?:i|we|you) (?:know|tell|see|find out|stop|report))\b"
)
_RULE = re.compile(r"規程|規約|ルール|禁止|\b(?:policy|rules?|allowed|novel|book|film|prevention)\b")


def is_hypothetical(clause: str, end: int) -> bool:
    """Whether a clause, normalized, asks what would be if that happened which it tells of up to `end`."""
    return bool(_BEHIND_JA.match(clause, end) or _BEFORE_EN.search(clause[:end]))


def asks_what_if(text: str) -> bool:
    """Whether a normalized text is about a case or a precaution."""
    return bool(_CASE.search(text) or _PRECAUTION.search(text))


def asks_for_rules(text: str) -> bool:
    """Whether a normalized text is about a case, a rule or a story."""
    return bool(_CASE.search(text) or _RULE.search(text))
