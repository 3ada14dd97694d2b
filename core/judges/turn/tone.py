"""What a message in distress or in a hurry needs beside facts: a word of sympathy, somebody to turn to at once."""

from __future__ import annotations

import re
from typing import Literal

from core.judges.turn.reply_tone import is_sympathetic
from core.text.distress.distress import DANGERS, distress_of
from core.text.normalize import normalize

MissingTone = Literal["sympathy", "contact"]
_CONTACT = re.compile(
    r"内線|電話|\d{2,4}-\d{2,4}|\b\d{3,4}\b|@|窓口|へ(?:ご)?(?:連絡|相談|報告)|\b(?:call|phone|contact|desk|report (?:it|this) to|write to|hotline|helpline)\b"
)


def missing_tone(message: str, reply: str) -> MissingTone | None:
    """What a reply to a message in distress or in a hurry lacks; none if nothing is lacking."""
    distress = distress_of(message)
    if distress.calls_for_sympathy and not is_sympathetic(reply):
        return "sympathy"
    if (distress.emergency or distress.trouble in DANGERS) and not _CONTACT.search(normalize(reply)):
        return "contact"
    return None
