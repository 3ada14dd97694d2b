"""Calls in tables: summed by role, purpose, model or server, and one by one, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import pandas as pd
import streamlit as st

from core.analysis.formatting import NO_VALUE, percent, seconds_text
from core.base.calls import Call, Spending, sum_of
from core.base.frozen_model import FrozenModel
from core.base.translate import text_or_default
from core.base.types import Role
from core.llm.roles import ROLES
from core.store.calls import Grouping
from core.store.store import Store
from pages.components.appearance import local_time, show_figure
from pages.components.cost import decimals, money_text, number
from pages.components.plain_text import plain
from pages.components.widgets import action_button, choose_row, choose_switch
from pages.i18n.translate import stored_error_text, t


class View(FrozenModel):
    """Which calls the page shows: all, those of a run, or those of a conversation."""

    run: str | None = None  # None: of any run; "": outside of runs
    conversation: str | None = None


def role_name(role: str) -> str:
    return text_or_default(t, f"models.role_{role}", role)


def purpose_name(purpose: str) -> str:
    """What a call was made for, in words if there are some."""
    return text_or_default(t, f"calls.purpose_{purpose}", purpose)


GROUPS: tuple[Grouping, ...] = ("role", "purpose", "model", "server")
COUNTS = ("calls", "failed", "retries", "prompt_tokens", "cached_tokens", "completion_tokens")


def grouping() -> Grouping:
    """By what calls are summed: the switch above the table, read before it is drawn."""
    return st.session_state.get("calls-by") or "role"


def totals_title(total: Spending, unit: str) -> str:
    """The page's title: how many calls, for how much money."""
    cost = total.known_cost
    words = {"n": number(total.calls), "cost": plain(money_text(cost, unit), links=False)}
    return t("calls.finding_unpriced" if cost is None else "calls.finding", **words)


def show_figures(total: Spending, unit: str) -> None:
    calls = total.calls or 1
    share = _share(total.cached_tokens, total.prompt_tokens)
    cached = t("calls.of_them_cached", n=number(total.cached_tokens), share=share)
    tokens_each = number(total.completion_tokens / calls)
    show_call_figures(
        ("calls", number(total.calls), t("calls.with_retries", n=number(total.retries))),
        ("prompt_tokens", number(total.prompt_tokens), cached),
        ("cost", plain(money_text(total.known_cost, unit), links=False), _each(total, unit)),
    )
    show_call_figures(
        ("failed", number(total.failed), t("calls.of_all", share=_share(total.failed, total.calls))),
        ("completion_tokens", number(total.completion_tokens), t("calls.each", value=tokens_each)),
        ("seconds", _exact_duration(total.seconds), t("calls.each", value=seconds_text(total.seconds / calls, t))),
    )
    if total.unpriced:
        st.caption(t("calls.unpriced", n=number(total.unpriced)))


def show_call_figures(*figures: tuple[str, str, str | None]) -> None:
    """(name, value, note) of some figures in a row."""
    for column, (name, value, note) in zip(st.columns(len(figures)), figures, strict=True):
        show_figure(column, t(f"calls.{name}"), value, note)


def _exact_duration(seconds: float) -> str:
    """Seconds in words if they are few, else as hours, minutes and seconds: 0:03:20."""
    return seconds_text(seconds, t) if seconds < 60 else str(timedelta(seconds=round(seconds)))


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
    columns = _total_columns(frame, by, weight, unit)
    st.dataframe(frame, hide_index=True, column_config=columns, placeholder=NO_VALUE, alt=t("calls.by"))


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
    return {"role": role_name, "purpose": purpose_name}.get(column, str)(value)


def _table_title(frame: pd.DataFrame, weight: str) -> str:
    first = frame.iloc[0]
    if len(frame) == 1:
        return t("calls.only", name=plain(first["name"], links=False))
    return t(f"calls.dearest_{weight}", name=plain(first["name"], links=False), share=f"{first['share']:.0f}%")


def _total_columns(frame: pd.DataFrame, by: Grouping, weight: str, unit: str) -> dict[str, Any]:
    """Whole numbers with separators, money with the digits that the smallest amount needs."""
    digits = decimals(frame["cost"].dropna())
    counts = {
        name: st.column_config.NumberColumn(t(f"calls.{name}"), format="localized", width=width)
        for name, width in zip(COUNTS, (80, 65, 70, 100, 95, 100), strict=True)
    }
    progress, share = st.column_config.ProgressColumn, t(f"calls.share_{weight}")
    return {
        **counts,
        "name": st.column_config.TextColumn(t(f"calls.by_{by}"), width=150),
        "share": progress(share, format="%.0f%%", min_value=0, max_value=100, width=125),
        "cost": st.column_config.NumberColumn(_cost_label(unit), format=f"%.{digits}f", width=105),
        "each": st.column_config.NumberColumn(t("calls.seconds_each"), format="%.2f", width=75),
    }


def _cost_label(unit: str) -> str:
    return t("calls.cost_in", currency=unit) if unit else t("calls.cost")


PAGE_SIZE = 50
_PLACE = "calls_pages"  # (what is listed, the id that each page but the first begins below)
_OPENED = "calls_opened"


def show_calls(store: Store, view: View, unit: str) -> None:
    """The filters, the table, and the way to older and newer calls; selecting a row opens it."""
    st.subheader(t("calls.list"), anchor=False)
    role, failed = choose_filters()
    before = page_starts((view.run, view.conversation, role, failed))
    calls = store.calls.newest(
        view.run, view.conversation, role, failed, limit=PAGE_SIZE + 1, before=before[-1] if before else None
    )
    if not calls:
        st.caption(t("calls.none_such"))
        return
    rows = calls[:PAGE_SIZE]
    st.caption(t("calls.open"))
    draw_table(rows, unit)
    show_page_buttons(before, rows[-1].id if len(calls) > PAGE_SIZE else None)


def choose_filters() -> tuple[Role | None, bool]:
    """The role that is listed (None for all), and whether only failed calls are."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        names: dict[Role | Literal[""], str] = {role: role_name(role or "all") for role in ("", *ROLES)}
        style = {"label_visibility": "collapsed", "wrap": True, "persist_state": "session"}
        role: Role | Literal[""] = choose_switch(t("calls.by_role"), names, "", key="calls-role", **style)
        failed = st.toggle(t("calls.only_failed"), key="calls-failed", persist_state="session")
    return role or None, failed


def page_starts(listed: tuple[Any, ...]) -> list[int]:
    """Where the pages turned so far begin; None once something else is listed."""
    place = st.session_state.get(_PLACE)
    if place is None or place[0] != listed:
        place = st.session_state[_PLACE] = (listed, [])
    return place[1]


def draw_table(rows: list[Call], unit: str) -> None:
    opened = st.session_state.setdefault(_OPENED, 0)  # a table of its own after each, so that Back finds none chosen
    key, columns = f"calls-{opened}-{rows[0].id}-{rows[-1].id}-{len(rows)}", _call_columns(rows, unit)
    place = choose_row(call_frame(rows), key, column_config=columns, placeholder=NO_VALUE, alt=t("calls.list"))
    if place is not None:
        st.session_state[_OPENED] += 1
        st.query_params["call"] = str(rows[place].id)
        st.rerun()


def call_frame(rows: list[Call]) -> pd.DataFrame:
    """One row per call, without its messages; what a server did not report is missing."""
    cells = [
        {
            "time": local_time(row.created_at, seconds=True).partition("-")[2],
            "purpose": purpose_name(row.purpose),
            "model": row.model,
            "prompt_tokens": row.prompt_tokens,
            "completion_tokens": row.completion_tokens,
            "cost": row.cost,
            "seconds": row.seconds,
            "retries": row.retries,
            "outcome": t("calls.not_fine", error=stored_error_text(row.error)) if row.error else t("calls.fine"),
        }
        for row in rows
    ]
    numbers = ("prompt_tokens", "completion_tokens", "cost")
    return pd.DataFrame(cells).astype(dict.fromkeys(numbers, "float64"))


def _call_columns(rows: list[Call], unit: str) -> dict[str, Any]:
    text, count, money = st.column_config.TextColumn, st.column_config.NumberColumn, decimals(row.cost for row in rows)
    return {
        "time": text(t("calls.time"), width=125),
        "purpose": text(t("calls.by_purpose"), width=150),
        "model": text(t("calls.by_model"), width=125),
        "outcome": text(t("calls.outcome"), width=145),
        "prompt_tokens": count(t("calls.prompt_tokens"), format="localized", width=95),
        "completion_tokens": count(t("calls.completion_tokens"), format="localized", width=95),
        "retries": count(t("calls.retries"), format="localized", width=65),
        "cost": count(_cost_label(unit), format=f"%.{money}f", width=100),
        "seconds": count(t("calls.seconds_one"), format="%.2f", width=55),
    }


def show_page_buttons(before: list[int], older: int | None) -> None:
    if not before and older is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        action_button(t("calls.newer"), "arrow_back", _turn, None, disabled=not before)
        action_button(t("calls.older"), "arrow_forward", _turn, older, disabled=older is None)
        st.caption(t("calls.page", n=len(before) + 1), width="content")


def _turn(older: int | None) -> None:
    listed, before = st.session_state[_PLACE]
    st.session_state[_PLACE] = (listed, before[:-1] if older is None else [*before, older])
