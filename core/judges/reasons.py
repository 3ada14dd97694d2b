"""The sentences of a judge's reasons: a TOML file next to the judge, in Japanese and English, with placeholders."""

from __future__ import annotations

from typing import Any

from core.base.clean_text import truncate
from core.base.toml import bundled_toml
from core.base.types import Language
from core.text.language import script

LONGEST_QUOTE = {"ja": 34, "en": 80}  # characters of a quote
_MARKS = str.maketrans(dict.fromkeys("「」“”*", ""))


class ReasonTexts:
    """The sentences of a file: `[key]` or `[group.name]` with `ja` and `en`, and `{placeholders}` to be filled.

    module: the `__file__` next to which the file is; quoting: shorten every text that fills a placeholder to a quote.
    """

    def __init__(self, module: str, name: str = "reasons.toml", quoting: bool = False) -> None:
        self._module, self._name = module, name
        self._quoting = quoting

    def __call__(self, key: str, language: Language, **placeholders: object) -> str:
        """The sentence of a key with its placeholders filled; raises KeyError for an unknown key or a missing value."""
        if self._quoting:
            placeholders = {name: quote(str(text)) for name, text in placeholders.items()}
        return self._sentence(key)[language].format(**placeholders)

    def __contains__(self, key: str) -> bool:
        """Whether the file has such a sentence."""
        try:
            return bool(self._sentence(key))
        except KeyError:
            return False

    def _sentence(self, key: str) -> dict[Language, str]:
        found: Any = bundled_toml(self._module, self._name)
        for part in key.split("."):
            found = found[part]
        return found


def quote(text: str) -> str:
    """A text as a short quote: on one line, without quotation marks of its own, truncated with an ellipsis."""
    plain = " ".join(text.split()).translate(_MARKS).rstrip("。.")
    return truncate(plain, LONGEST_QUOTE["en" if script(plain) == "en" else "ja"])
