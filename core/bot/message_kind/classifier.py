"""The kind of a message: a request, or a kind of small talk; by a classifier, or by its emoji if it has no words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from core.text.ngram_classifier import label_probabilities

MessageKind = Literal[
    "greeting",
    "thanks",
    "farewell",
    "praise",
    "insult",
    "identity",
    "abilities",
    "human_agent",
    "distress",
    "emergency",
    "attack",
    "chat",
    "outside",
    "jobs",
    "request",
]
KINDS: tuple[MessageKind, ...] = get_args(MessageKind)
EMOJI: Mapping[MessageKind, str] = {
    "thanks": "👍👌👏🙏🙇🙌🤝✌🫡🫶🎉🎊✨💯⭐🌟❤♥💕💖🧡💛💚💙💜🙂😊☺😀😃😄😁😆🥰😍😘🤩😌🥹",
    "greeting": "👋",
    "insult": "🖕🤬💩👎",
}
_FILE = Path(__file__).with_name("classifier.json")


@lru_cache(maxsize=4_096)
def kind_probabilities(text: str) -> Mapping[MessageKind, float]:
    """Probability (0 to 1) of each kind; they sum to 1."""
    return label_probabilities(_FILE, KINDS, text)


def is_only_symbols(text: str) -> bool:
    """Whether a text has neither letters nor digits."""
    return bool(text.strip()) and not any(map(str.isalnum, text))


def kind_of_emoji(text: str) -> MessageKind:
    """The kind that the first emoji with a meaning stands for; a request if there is none."""
    found: list[MessageKind] = [kind for sign in text for kind, emoji in EMOJI.items() if sign in emoji]
    return found[0] if found else "request"
