"""Quotation marks of a language."""

from __future__ import annotations

from collections.abc import Sequence


def in_quotes(text: str, language: str) -> str:
    """The text in quotation marks of a language; those inside it become the other kind."""
    if language == "ja":
        return f"「{text.replace('「', '『').replace('」', '』')}」"
    return f'"{text.replace(chr(34), chr(39))}"'


def quote_list(items: Sequence[str], language: str) -> str:
    """Items in quotation marks, as one phrase."""
    if language == "ja":
        return "、".join(in_quotes(item, language) for item in items)
    quoted = [in_quotes(item, language) for item in items]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def is_quoted(name: str, text: str) -> bool:
    """Whether a text has a name in quotation marks of either language."""
    return any(in_quotes(name, language) in text for language in ("ja", "en"))
