"""Words and numbers inside charts: short, and harmless where Plotly would read them as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import unescape
from unicodedata import east_asian_width

ROOM = 16  # narrow letters on a line of a chart's axis; a Japanese letter takes the room of two


def percent(value: float) -> str:
    """A share of 1 in whole percent."""
    return f"{value * 100:.0f}%"


def short(text: str, longest: int = 26) -> str:
    """One line of at most `longest` letters, safe inside a chart (Plotly reads a little HTML)."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= longest else f"{flat[: longest - 1]}…"
    return cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def two_lines(text: str) -> str:
    """`short` on at most two lines of little room, so that a telephone has some left for the chart."""
    lines = [""]
    for letter in " ".join(text.split()):
        if _room(lines[-1] + letter) > ROOM:
            if len(lines) == 2:
                lines[-1] += "…"
                break
            lines.append("")
        lines[-1] += letter
    return "<br>".join(short(line.strip(), 2 * ROOM) for line in lines)


def wide(names: Iterable[str]) -> int:
    """The pixels that the longest of these labels takes beside an axis, in letters of 12 pixels."""
    return round(max((6.9 * _room(unescape(name)) for name in names), default=0))


def _room(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WFA" else 1 for letter in text)
