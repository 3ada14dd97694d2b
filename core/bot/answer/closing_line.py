"""The closing line of an answer, in which the model says whether the passages held it; never shown to the person."""

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
    """The answer without its closing line, wherever it stands, and what that line says; none if there is no such
    line."""
    lines = text.split("\n")
    found = [match["word"].lower() for line in lines if (match := _LINE.fullmatch(line))]
    body = "\n".join(line for line in lines if not _LINE.fullmatch(line)).strip()
    return body, found[-1] not in _NO if found else None


class ClosingLineFilter:
    """Passes on a streamed answer without its closing line: what may become that line is held back until it is
    known."""

    def __init__(self) -> None:
        self._held: str = ""  # the line under way, as far as it is not shown
        self._shown = False  # whether a part of that line is
        self._gap: str = ""  # white space before it, shown only if something follows

    def add(self, piece: str) -> str:
        """What can be shown now."""
        self._held += piece
        shown = ""
        while "\n" in self._held:
            line, _, self._held = self._held.partition("\n")
            if self._shown or not _LINE.fullmatch(line):
                shown += f"{line}\n"
            self._shown = False
        letters = re.sub(r"[\W_]", "", self._held).upper()
        if self._shown or (letters and not (_LABEL.startswith(letters) or letters.startswith(_LABEL))):
            shown, self._held, self._shown = shown + self._held, "", True
        return self._without_gap(shown)

    def rest(self) -> str:
        """What was held back and is no closing line, at the end of the answer."""
        held, self._held = self._held, ""
        return "" if not self._shown and _LINE.fullmatch(held) else self._without_gap(held)

    def _without_gap(self, text: str) -> str:
        """The text with the white space that came before it, its own trailing white space held back."""
        visible = text.rstrip()
        gap, self._gap = self._gap, (text[len(visible) :] if visible else self._gap + text)
        return gap + visible if visible else ""
