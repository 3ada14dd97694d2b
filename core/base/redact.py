"""Redacts API keys in server replies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from core.base.clean_text import change_texts, clean

DOTS = "•••"
MIN_LETTERS_KEY = 12  # letters from which a text of letters only is a key, and not a word


class Redactor:
    """Replaces keys by dots; a word such as "ollama" or "none", given where no key is needed, is not a key."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted({secret for secret in secrets if _is_secret(secret)}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without the keys."""
        for secret in self._secrets:
            text = text.replace(secret, DOTS)
        return text

    def partial_length(self, text: str) -> int:
        """The number of characters at the text's end that may be the beginning of a key."""
        ends = (n for secret in self._secrets for n in range(1, len(secret)) if text.endswith(secret[:n]))
        return max(ends, default=0)

    def load_json(self, data: bytes | str) -> Any:
        """JSON without the keys, however they are escaped, and with lone surrogates replaced; raises ValueError."""
        try:
            return self.data(json.loads(data))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error

    def data(self, value: Any) -> Any:
        """Data of JSON without the keys, and with lone surrogates replaced."""
        value = clean(value)
        return change_texts(value, self.text) if self._secrets else value


def _is_secret(text: str) -> bool:
    return len(text) >= MIN_LETTERS_KEY or (len(text) > 3 and not text.isalpha())
