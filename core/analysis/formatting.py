"""Numbers and names in sentences, charts and exports."""

from __future__ import annotations

from html import escape

from core.base.clean_text import shorten

NO_VALUE = "–"  # in place of a number or name that there is not


def percent(value: float | None) -> str:
    """A share of 1 in whole percent; a dash for none."""
    return NO_VALUE if value is None else f"{value * 100:.0f}%"


def percent_range(low: float, high: float) -> str:
    """Two shares of 1 in whole percent: 71–84%."""
    return f"{low * 100:.0f}–{percent(high)}"


def points(value: float | None) -> str:
    """A difference of shares in points of a hundred, with its sign (a true minus, as wide as a plus); a dash for none."""
    if value is None:
        return NO_VALUE
    shown = f"{value * 100:+.1f}".replace("-", "−")
    return "0.0" if shown[1:] == "0.0" else shown


def short_label(text: str, longest: int = 26) -> str:
    """One line of at most `longest` letters, safe inside a chart (Plotly reads a little HTML)."""
    return escape(shorten(text, longest), quote=False)


def ending_key(ending: str, status: str) -> str:
    """The text key of how a conversation ended, else of its status."""
    return f"endings.{ending}" if ending and status == "done" else f"status.{status}"
