"""What a message of pictures and punctuation alone means."""

from __future__ import annotations

from collections.abc import Mapping

from core.bot.message_kind.classifier import MessageKind

SIGNS: Mapping[MessageKind, str] = {
    "thanks": "👍👌👏🙏🙇🙌🤝✌🫡🫶🎉🎊✨💯⭐🌟❤♥💕💖🧡💛💚💙💜🙂😊☺😀😃😄😁😆🥰😍😘🤩😌🥹",
    "greeting": "👋",
    "insult": "🖕🤬💩👎",
}


def is_signs(text: str) -> bool:
    """Whether a text has neither letters nor digits."""
    return bool(text.strip()) and not any(map(str.isalnum, text))


def kind_of_signs(text: str) -> MessageKind:
    """The kind that the first picture with a meaning stands for; a request if there is none."""
    found: list[MessageKind] = [kind for sign in text for kind, signs in SIGNS.items() if sign in signs]
    return found[0] if found else "request"
