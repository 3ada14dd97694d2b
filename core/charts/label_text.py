"""Labels of charts on little room."""

from __future__ import annotations

from collections.abc import Iterable
from html import unescape
from unicodedata import east_asian_width

from core.analysis.formatting import short_label

LINE_WIDTH = 16  # narrow letters on a line of a chart's axis; a Japanese letter takes the room of two
CLOSING = frozenset("、。，．・：；？！ー）」』】〉》”’…ぁぃぅぇぉっゃゅょァィゥェォッャュョ")
OPENING = frozenset("（「『【〈《“‘")


def wrap_label(text: str) -> str:
    """`short_label` on at most two short lines, so that a phone has room for the chart; words are not broken."""
    lines = [""]
    for piece in _pieces(text):
        if lines[-1].strip() and _room((lines[-1] + piece).strip()) > LINE_WIDTH:
            if len(lines) == 2:
                lines[-1] = f"{lines[-1].rstrip()}…"
                break
            lines.append("")
        lines[-1] += piece
    return "<br>".join(short_label(line.strip(), 2 * LINE_WIDTH) for line in lines)


def _pieces(text: str) -> list[str]:
    """Unbreakable pieces: words, Japanese letters with their punctuation; longer ones than a line are cut."""
    lines = [""]
    for letter in " ".join(text.split()):
        joined = letter in CLOSING or lines[-1][-1:] in OPENING or (_in_word(letter) and _in_word(lines[-1][-1:]))
        if joined and letter != " " and _room(lines[-1] + letter) <= LINE_WIDTH:
            lines[-1] += letter
        else:
            lines.append(letter)
    return lines


def _in_word(letter: str) -> bool:
    return letter not in ("", " ") and east_asian_width(letter) not in "WF"


def label_width(names: Iterable[str]) -> int:
    """The pixels that the longest of these labels takes beside an axis, in letters of 12 pixels."""
    return round(max((6.9 * _room(unescape(name)) for name in names), default=0))


def _room(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WFA" else 1 for letter in text)
