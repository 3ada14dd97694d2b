"""Replaces API keys in server replies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from core.base.clean_text import change_texts, clean

DOTS = "•••"
WORD = 12  # letters from which on a key of letters only is taken for a key, and no longer for any word


class Redactor:
    """Replaces keys by dots; a word such as "ollama" or "none", which people give if no key is needed, is no key."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted({secret for secret in secrets if _is_secret(secret)}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without the keys."""
        for secret in self._secrets:
            text = text.replace(secret, DOTS)
        return text

    def partial_length(self, text: str) -> int:
        """How many characters at the text's end may be the beginning of a key."""
        ends = (n for secret in self._secrets for n in range(1, len(secret)) if text.endswith(secret[:n]))
        return max(ends, default=0)

    def load_json(self, data: bytes | str) -> Any:
        """JSON without the keys, however they are escaped, and with half characters replaced; raises ValueError."""
        try:
            return self.data(json.loads(data))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error

    def data(self, value: Any) -> Any:
        """Data of JSON without the keys, and with half characters replaced."""
        value = clean(value)
        return change_texts(value, self.text) if self._secrets else value


def _is_secret(text: str) -> bool:
    return len(text) >= WORD or (len(text) > 3 and not text.isalpha())
