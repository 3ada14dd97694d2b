"""The closing line of an answer, in which the model says whether the passages have it; never shown to the user."""

from __future__ import annotations

import re

_LABEL = "ANSWERED"
_LINE = re.compile(
    r"[\W_]*+answered(?:[^\w:：]|_)*+[:：][\W_]*+(?P<word>yes|no|partly|partially|はい|いいえ|一部)(?:[^\w(（]|_)*+(?:[(（].{0,80})?",
    re.IGNORECASE,
)
_NO = ("no", "いいえ")


def closing_line(answered: bool) -> str:
    """The line as the prompt asks for it."""
    return f"{_LABEL}: {'yes' if answered else 'no'}"


def read_closing_line(text: str) -> tuple[str, bool | None]:
    """The answer without its closing line, wherever that is, and what the line says; None without one."""
    lines = text.split("\n")
    found = [match["word"].lower() for line in lines if (match := _LINE.fullmatch(line))]
    body = "\n".join(line for line in lines if not _LINE.fullmatch(line)).strip()
    return body, found[-1] not in _NO if found else None


class ClosingLineFilter:
    """Removes the closing line from a streamed answer: text that may become that line is buffered until it is clear."""

    def __init__(self) -> None:
        self._buffer: str = ""  # the part of the current line that is not shown yet
        self._shown = False  # whether a part of the current line is shown
        self._gap: str = ""  # white space before it, shown only if something follows

    def add(self, piece: str) -> str:
        """What can be shown now."""
        self._buffer += piece
        shown = ""
        while "\n" in self._buffer:
            line, _, self._buffer = self._buffer.partition("\n")
            if self._shown or not _LINE.fullmatch(line):
                shown += f"{line}\n"
            self._shown = False
        letters = re.sub(r"[\W_]", "", self._buffer).upper()
        if self._shown or (letters and not (_LABEL.startswith(letters) or letters.startswith(_LABEL))):
            shown, self._buffer, self._shown = shown + self._buffer, "", True
        return self._without_gap(shown)

    def rest(self) -> str:
        """The rest of the buffer at the end of the answer, unless it is the closing line."""
        rest, self._buffer = self._buffer, ""
        return "" if not self._shown and _LINE.fullmatch(rest) else self._without_gap(rest)

    def _without_gap(self, text: str) -> str:
        """The text with the white space before it; its own trailing white space is buffered."""
        visible = text.rstrip()
        gap, self._gap = self._gap, (text[len(visible) :] if visible else self._gap + text)
        return gap + visible if visible else ""
