"""Bold words in Markdown."""

from __future__ import annotations

import re

_BOLD = re.compile(r"(\*\*|(?<!\w)__)(?=\S)((?:(?!\1).)+?)(?<=\S)\1(?!\w)")
_BOLD_LINE = re.compile(rf"[ \t]*{_BOLD.pattern}[ \t]*")


def without_bold(text: str) -> str:
    """The text without the marks around bold words, for where they would be shown as they are.

    >>> without_bold("Press **Save** twice, 2**3 times")
    'Press Save twice, 2**3 times'
    """
    return _BOLD.sub(r"\2", text)


def without_bold_line(line: str) -> str:
    """A line without the marks around it if all of it is bold: a title."""
    return without_bold(line) if _BOLD_LINE.fullmatch(line) else line
