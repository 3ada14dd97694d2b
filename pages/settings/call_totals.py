"""Calls summed: six figures, and a table by role, purpose, model or server."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pandas as pd
import streamlit as st

from core.base.calls import Spending, sum_of
from core.store.calls import Grouping
from core.store.store import Store
from pages.components.appearance import percent, show_figure
from pages.components.choices import choose_switch
from pages.components.cost import NOTHING, decimals, money_text, number, seconds_text
from pages.components.plain_text import plain
from pages.i18n.translate import t
from pages.settings.call_format import View, purpose_name, role_name

GROUPS: tuple[Grouping, ...] = ("role", "purpose", "model", "server")
COUNTS = ("calls", "failed", "retries", "prompt_tokens", "cached_tokens", "completion_tokens")


def grouping() -> Grouping:
    """By what calls are summed: the switch above the table, read before it is drawn."""
    chosen = st.session_state.get("calls-by")
    return chosen if chosen in GROUPS else "role"


def spending_by_group(store: Store, view: View) -> dict[str, Spending]:
    """The calls of a view by what the switch says; one look into the database for the figures and the table."""
    return store.calls.spending_by(grouping(), view.run, view.conversation)


def totals_title(total: Spending, unit: str) -> str:
    """The page's title: how many calls, for how much money."""
    cost = total.known_cost
    words = {"n": number(total.calls), "cost": plain(money_text(cost, unit), links=False)}
    return t("calls.finding_unpriced" if cost is None else "calls.finding", **words)


def show_figures(total: Spending, unit: str) -> None:
    """Six figures, each with what it is made of."""
    calls = total.calls or 1
    cells = (
        ("calls", number(total.calls), t("calls.with_retries", n=number(total.retries))),
        ("prompt_tokens", number(total.prompt_tokens), _cached(total)),
        ("cost", plain(money_text(total.known_cost, unit), links=False), _each(total, unit)),
        ("failed", number(total.failed), t("calls.of_all", share=_share(total.failed, total.calls))),
        (
            "completion_tokens",
            number(total.completion_tokens),
            t("calls.each", value=number(total.completion_tokens / calls)),
        ),
        ("seconds", _exact_duration(total.seconds), t("calls.each", value=seconds_text(total.seconds / calls))),
    )
    for row in (cells[:3], cells[3:]):
        for column, (name, value, note) in zip(st.columns(3), row, strict=True):
            show_figure(column, t(f"calls.{name}"), value, note)
    if total.unpriced:
        st.caption(t("calls.unpriced", n=number(total.unpriced)))


def _exact_duration(seconds: float) -> str:
    """Seconds in words if they are few, else as hours, minutes and seconds: 0:03:20."""
    return seconds_text(seconds) if seconds < 60 else str(timedelta(seconds=round(seconds)))


def _cached(total: Spending) -> str:
    share = _share(total.cached_tokens, total.prompt_tokens)
    return t("calls.of_them_cached", n=number(total.cached_tokens), share=share)


def _each(total: Spending, unit: str) -> str:
    priced, cost = total.calls - total.unpriced, total.known_cost
    if cost is None or not priced:
        return t("calls.no_price")
    return t("calls.each", value=plain(money_text(cost / priced, unit), links=False))


def _share(part: float, whole: float) -> str:
    if not whole:
        return percent(0.0)
    return f"{part / whole:.1%}" if 0 < part / whole < 0.1 else percent(part / whole)


def show_table(groups: Mapping[str, Spending], unit: str) -> None:
    """Who made the calls: the finding, the switch, and one row per group, the dearest first."""
    by = grouping()
    frame, weight = group_frame(groups, by)
    st.subheader(_table_title(frame, weight), anchor=False)
    style: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}
    choose_switch(t("calls.by"), {name: t(f"calls.by_{name}") for name in GROUPS}, "role", key="calls-by", **style)
    st.dataframe(
        frame, hide_index=True, column_config=_columns(frame, by, weight, unit), placeholder=NOTHING, alt=t("calls.by")
    )


def group_frame(groups: Mapping[str, Spending], by: Grouping) -> tuple[pd.DataFrame, str]:
    """(one row per group, the heaviest first; what the shares are of: "cost", or "tokens" if nothing has a price)."""
    total = sum_of(groups.values())
    weight = "cost" if total.cost else "tokens"
    whole = getattr(total, weight) or 1
    rows = [
        {
            "name": _name_of(by, name),
            "share": None if weight == "cost" and totals.known_cost is None else 100 * getattr(totals, weight) / whole,
            "cost": totals.known_cost,
            **{column: getattr(totals, column) for column in COUNTS},
            "each": totals.seconds / totals.calls if totals.calls else None,
        }
        for name, totals in groups.items()
    ]
    frame = pd.DataFrame(rows).astype({"cost": "float64", "share": "float64"})
    return frame.sort_values("share", ascending=False, kind="stable", ignore_index=True), weight


def _name_of(column: str, value: str) -> str:
    """The words for a value of a column that calls are summed by."""
    known = {"role": role_name, "purpose": purpose_name}.get(column)
    return known(value) if known else value


def _table_title(frame: pd.DataFrame, weight: str) -> str:
    first = frame.iloc[0]
    if len(frame) == 1:
        return t("calls.only", name=plain(first["name"], links=False))
    return t(f"calls.dearest_{weight}", name=plain(first["name"], links=False), share=f"{first['share']:.0f}%")


def _columns(frame: pd.DataFrame, by: Grouping, weight: str, unit: str) -> dict[str, Any]:
    """Whole numbers with separators, money with the digits that the smallest amount needs."""
    digits = decimals(frame["cost"].dropna())
    counts = {
        name: st.column_config.NumberColumn(t(f"calls.{name}"), format="localized", width=width)
        for name, width in zip(COUNTS, (80, 65, 70, 100, 95, 100), strict=True)
    }
    share = st.column_config.ProgressColumn(
        t(f"calls.share_{weight}"), format="%.0f%%", min_value=0, max_value=100, width=125
    )
    return {
        **counts,
        "name": st.column_config.TextColumn(t(f"calls.by_{by}"), width=150),
        "share": share,
        "cost": st.column_config.NumberColumn(
            t("calls.cost_in", currency=unit) if unit else t("calls.cost"), format=f"%.{digits}f", width=105
        ),
        "each": st.column_config.NumberColumn(t("calls.seconds_each"), format="%.2f", width=75),
    }
