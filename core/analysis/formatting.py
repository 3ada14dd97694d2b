"""Numbers and names in sentences, charts and exports."""

from __future__ import annotations

from html import escape

from core.base.clean_text import shorten
from core.base.translate import Translate

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


def points_range(low: float, high: float, t: Translate) -> str:
    """Two differences of shares in points: −14.2 〜 0.0, or −14.2 to 0.0."""
    return t("charts.ends", low=points(low), high=points(high))


def seconds_text(seconds: float, t: Translate) -> str:
    """Seconds in words, the exacter the fewer they are; what would be shown as 0.00 is said to be less."""
    if 0 < seconds < 0.005:
        return t("common.under_hundredth")
    return t("common.seconds", seconds=f"{seconds:,.{2 if seconds < 1 else 1 if seconds < 100 else 0}f}")


def short_label(text: str, longest: int = 26) -> str:
    """One line of at most `longest` letters, safe inside a chart (Plotly reads a little HTML)."""
    return escape(shorten(text, longest), quote=False)


def ending_key(ending: str, status: str) -> str:
    """The text key of how a conversation ended, else of its status."""
    return f"endings.{ending}" if ending and status == "done" else f"status.{status}"
