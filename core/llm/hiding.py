"""Keeping secrets out of whatever a server says: all that it sends is read through here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from core.llm.replies import whole

DOTS = "•••"
WORD = 12  # letters from which on a key of letters only is taken for a secret, and no longer for any word


class Hiding:
    """Replaces secrets; a word such as "ollama" or "none", which people give where no key is needed, is none."""

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {secret for secret in secrets if _is_secret(secret)}
        self._secrets = sorted(found, key=len, reverse=True)
        # As JSON has them, but for \\u and \\/ (and UTF-16 and UTF-32, which are full of NUL bytes)
        self._written = [
            json.dumps(secret, ensure_ascii=False)[1:-1].encode("utf-8", "replace") for secret in self._secrets
        ]

    def text(self, text: str) -> str:
        """The text without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, DOTS)
        return text

    def begun(self, text: str) -> int:
        """How many characters at the text's end may be the beginning of a secret."""
        ends = (n for secret in self._secrets for n in range(1, len(secret)) if text.endswith(secret[:n]))
        return max(ends, default=0)

    def loaded(self, data: bytes | str) -> Any:
        """JSON without the secrets, however they are escaped, half characters replaced; raises ValueError."""
        try:
            given = json.loads(data)
            return given if self._is_clean(data) else self._all(whole(given))
        except RecursionError as error:
            raise ValueError("nested too deeply") from error

    def _is_clean(self, data: bytes | str) -> bool:
        """Whether JSON holds no half character, and no secret in any spelling: then nothing in it need be looked at."""
        if isinstance(data, str) or b"\\u" in data or b"\\/" in data or b"\0" in data:
            return False
        return _is_utf8(data) and not any(secret in data for secret in self._written)

    def _all(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._all(item) for item in cast(list[Any], value)]
        if isinstance(value, dict):
            return {self.text(str(name)): self._all(item) for name, item in cast(dict[Any, Any], value).items()}
        return value


def _is_utf8(data: bytes) -> bool:
    try:
        return bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _is_secret(text: str) -> bool:
    return len(text) >= WORD or (len(text) > 3 and not text.isalpha())
