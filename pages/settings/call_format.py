"""How calls to models are told: names, money, numbers, and what a view of the ledger is about."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime, timedelta

import streamlit as st

from core.base.calls import Spending
from core.base.settings import settings
from core.base.types import FrozenModel
from core.llm.prices import read_prices
from pages.components.appearance import plain, told
from pages.i18n.translate import t, words

NOTHING = "—"
FINEST = 8  # decimals of money at most


class View(FrozenModel):
    """The calls that are looked at: all, or those of one run ("" for those outside of any), or of one conversation."""

    run: str | None = None
    conversation: str | None = None


def currency() -> str:
    """The price table's currency; a table that cannot be read is told, and has none."""
    with told():
        return read_prices().currency
    return ""


def role_name(role: str) -> str:
    """A role in words."""
    return _known(f"models.role_{role}", role)


def purpose_name(purpose: str) -> str:
    """What a call was made for, in words where there are some."""
    return _known(f"calls.purpose_{purpose}", purpose)


def _known(key: str, else_: str) -> str:
    return t(key) if key in words() else else_


def name_of(column: str, value: str) -> str:
    """The words for a value of a column that calls are summed by."""
    known = {"role": role_name, "purpose": purpose_name}.get(column)
    return known(value) if known else value


def number(value: float | None) -> str:
    """A whole number with separators; a dash for none."""
    return NOTHING if value is None else f"{value:,.0f}"


def decimals(values: Iterable[float | None]) -> int:
    """So many decimals that every amount keeps its first three digits: 2 to 8."""
    return max((_decimals(value) for value in values if value), default=2)


def _decimals(value: float) -> int:
    exact = min(FINEST, max(2, 2 - math.floor(math.log10(value))))
    return max(2, len(f"{value:.{exact}f}".partition(".")[2].rstrip("0")))


def money(value: float | None, unit: str) -> str:
    """An amount with its currency and sensible digits: 0.0123 USD; a dash for none."""
    if value is None:
        return NOTHING
    return f"{value:,.{decimals([value])}f} {unit}".strip() if value else f"0 {unit}".strip()


def spent(sums: Spending) -> float | None:
    """What calls cost together; none where nothing of it has a price."""
    return None if sums.unpriced and not sums.cost else sums.cost


def clock(moment: datetime, year: bool = True) -> str:
    """A stored time to the second, on this machine's clock."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S" if year else "%m-%d %H:%M:%S")


def duration(seconds: float) -> str:
    """Seconds in words where they are few, else as hours, minutes and seconds: 0:03:20."""
    return seconds_of(seconds) if seconds < 60 else str(timedelta(seconds=round(seconds)))


def seconds_of(seconds: float) -> str:
    """Seconds in words, the exacter the fewer they are."""
    return t("common.seconds", seconds=f"{seconds:,.{2 if seconds < 1 else 1 if seconds < 100 else 0}f}")


def kept_for() -> None:
    """How long calls are kept, and whether equal ones are made again."""
    now = settings()
    days = t("calls.kept_days", days=f"{now.ledger_days:g}") if now.ledger_days else t("calls.kept_always")
    st.caption(f"{days} {t('calls.cached' if now.cache else 'calls.not_cached')}")


def pair(label: str, value: str) -> None:
    """A name and what stands under it, letter by letter."""
    st.markdown(f":gray[{plain(label)}]  \n{plain(value, links=False)}")


def to_calls(conversation: str, count: int) -> None:
    """One click from a conversation to its calls, where it has any."""
    if count:
        st.page_link(
            "pages/settings/calls.py",
            label=t("calls.of_conversation", n=number(count)),
            icon=":material/receipt_long:",
            query_params={"conversation": conversation},
        )
