"""What calls to models cost, in words: calls, tokens, money, and how near a budget is."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.analysis.formatting import NO_VALUE
from core.base.calls import Spending
from core.base.errors import BadInput
from core.llm.prices import Prices, read_prices
from core.runs.plan import Plan
from pages.components.appearance import show_errors
from pages.components.plain_text import plain
from pages.i18n.translate import t

MAX_DECIMALS = 8  # of an amount of money


def prices() -> Prices:
    """The price table; an empty one if it cannot be read (the models page says why)."""
    try:
        return read_prices()
    except BadInput:
        return Prices()


def cost_text(spent: Spending) -> str:
    """What it cost with the currency; only its tokens count if no call has a price, and some may be left out."""
    if spent.known_cost is None:
        return t("estimate.tokens_only")
    text = money_text(spent.known_cost, plain(prices().currency))
    return t("estimate.partly", money=text, n=f"{spent.unpriced:,}") if spent.unpriced else text


def spending_text(spent: Spending) -> str:
    """Calls, tokens and money on one line."""
    tokens = {"input": f"{spent.prompt_tokens:,}", "output": f"{spent.completion_tokens:,}"}
    return t("estimate.spent", calls=f"{spent.calls:,}", money=cost_text(spent), **tokens)


def rough_duration(seconds: float) -> str:
    """So many seconds, from two minutes on in minutes, from two hours on in hours."""
    if seconds < 120:
        return t("common.seconds", seconds=f"{max(1, round(seconds))}")
    if seconds < 7_200:
        return t("estimate.minutes", n=f"{round(seconds / 60)}")
    return t("estimate.hours", n=f"{seconds / 3600:.1f}")


def money_limit(plan: Plan) -> str:
    """The most money that a run may cost, as it was given."""
    return f"{plan.budget:,g} {plain(prices().currency)}"


def currency() -> str:
    """The price table's currency; shows the error and returns "" if the table cannot be read."""
    with show_errors():
        return read_prices().currency
    return ""


def number(value: float | None) -> str:
    """A whole number with separators; a dash for none."""
    return NO_VALUE if value is None else f"{value:,.0f}"


def decimals(values: Iterable[float | None]) -> int:
    """So many decimals that every amount keeps its first three digits: 2 to 8."""
    return max((_decimals(value) for value in values if value), default=2)


def _decimals(value: float) -> int:
    exact = min(MAX_DECIMALS, max(2, 2 - math.floor(math.log10(value))))
    return max(2, len(f"{value:.{exact}f}".partition(".")[2].rstrip("0")))


def money_text(value: float | None, unit: str) -> str:
    """An amount with its currency and sensible digits: 0.0123 USD; a dash for none."""
    if value is None:
        return NO_VALUE
    return f"{value:,.{decimals([value])}f} {unit}".strip() if value else f"0 {unit}".strip()
