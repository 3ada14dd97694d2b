"""Whether a text holds a word, whatever its width and case (NFKC, case-folded), quickly over many texts."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import cache

_COMPATIBLE = (range(0x10000), range(0x1D400, 0x1D800), range(0x1F100, 0x1F300), range(0x2F800, 0x2FA20))
REMEMBERED = 20_000  # texts whose answer is kept: judges repeat themselves


def folded(text: str) -> str:
    """Text for comparing: NFKC, case-folded."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


class Holder:
    """Tells which texts hold a word; `word` has to be folded. Texts without its rarest letter are told by a look.

    forms: all that this letter may be folded from; a text without any of them does not hold the word.
    """

    def __init__(self, word: str) -> None:
        self.word = word
        self.forms = min((_forms_of(letter) for letter in dict.fromkeys(word)), key=len, default=())
        self._has_letter = re.compile(f"[{''.join(map(re.escape, self.forms))}]" if word else "").search
        self._seen: dict[str, bool] = {}

    def __call__(self, text: str | None) -> bool:
        """Whether the text, folded, holds the word."""
        if not text:
            return False
        if self.word in text:
            return True
        if text.isascii():
            return self.word in text.lower()
        if not self._has_letter(text):
            return False
        known = self._seen.get(text)
        if known is None:
            if len(self._seen) >= REMEMBERED:
                self._seen.clear()
            known = self._seen[text] = self.word in folded(text)
        return known


def _forms_of(letter: str) -> tuple[str, ...]:
    """Whatever a letter may be folded from; few for letters that have one form."""
    base = unicodedata.normalize("NFD", letter)[0]
    return tuple(sorted({letter, base} | _forms()[letter] | _forms()[base]))


@cache
def _forms() -> dict[str, set[str]]:
    """{letter: the other letters in whose folded form it stands}."""
    found: dict[str, set[str]] = defaultdict(set)
    for part in _COMPATIBLE:
        for code in part:
            letter = chr(code)
            if 0xD800 <= code < 0xE000 or letter == (plain := folded(letter)):
                continue
            for one in plain:
                found[one].add(letter)
    return found
