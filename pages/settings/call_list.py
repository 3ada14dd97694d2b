"""The list of calls, newest first: filters, pages, and a row that opens its call."""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd
import streamlit as st

from core.base.calls import Call
from core.base.types import Role
from core.llm.roles import ROLES
from core.store.store import Store
from pages.components.appearance import local_time
from pages.components.choices import choose_row, choose_switch
from pages.components.cost import NOTHING, decimals
from pages.i18n.translate import stored_error_text, t
from pages.settings.call_format import View, purpose_name, role_name

PAGE = 50  # rows of one page
_PLACE = "calls_pages"  # (what is listed, the id that each page but the first begins below)
_OPENED = "calls_opened"


def show_calls(store: Store, view: View, unit: str) -> None:
    """The filters, the table, and the way to older and newer calls; selecting a row opens it."""
    st.subheader(t("calls.list"), anchor=False)
    role, failed = choose_filters()
    before = page_starts((view.run, view.conversation, role, failed))
    calls = store.calls.newest(
        view.run, view.conversation, role, failed, limit=PAGE + 1, before=before[-1] if before else None
    )
    if not calls:
        st.caption(t("calls.none_such"))
        return
    rows = calls[:PAGE]
    st.caption(t("calls.open"))
    draw_table(rows, unit)
    show_page_buttons(before, rows[-1].id if len(calls) > PAGE else None)


def choose_filters() -> tuple[Role | None, bool]:
    """The role that is listed (none for all), and whether only failed calls are."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        names: dict[Role | Literal[""], str] = {role: role_name(role or "all") for role in ("", *ROLES)}
        style = {"label_visibility": "collapsed", "wrap": True, "persist_state": "session"}
        role: Role | Literal[""] = choose_switch(t("calls.by_role"), names, "", key="calls-role", **style)
        failed = st.toggle(t("calls.only_failed"), key="calls-failed", persist_state="session")
    return role or None, failed


def page_starts(listed: tuple[Any, ...]) -> list[int]:
    """Where the pages turned so far begin; none once something else is listed."""
    place = st.session_state.get(_PLACE)
    if place is None or place[0] != listed:
        place = st.session_state[_PLACE] = (listed, [])
    return place[1]


def draw_table(rows: list[Call], unit: str) -> None:
    """One page as a table."""
    opened = st.session_state.setdefault(_OPENED, 0)  # a table of its own after each, so that Back finds none chosen
    key, columns = f"calls-{opened}-{rows[0].id}-{rows[-1].id}-{len(rows)}", _columns(rows, unit)
    place = choose_row(call_frame(rows), key, column_config=columns, placeholder=NOTHING, alt=t("calls.list"))
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


def _columns(rows: list[Call], unit: str) -> dict[str, Any]:
    text = {"time": 125, "purpose": 150, "model": 125, "outcome": 145}
    money = st.column_config.NumberColumn(
        t("calls.cost_in", currency=unit) if unit else t("calls.cost"),
        format=f"%.{decimals(row.cost for row in rows)}f",
        width=100,
    )
    count = {"prompt_tokens": 95, "completion_tokens": 95, "retries": 65}
    names = {"purpose": "by_purpose", "model": "by_model"}
    return {
        **{
            name: st.column_config.TextColumn(t(f"calls.{names.get(name, name)}"), width=width)
            for name, width in text.items()
        },
        **{
            name: st.column_config.NumberColumn(t(f"calls.{name}"), format="localized", width=width)
            for name, width in count.items()
        },
        "cost": money,
        "seconds": st.column_config.NumberColumn(t("calls.seconds_one"), format="%.2f", width=55),
    }


def show_page_buttons(before: list[int], older: int | None) -> None:
    """To newer and older calls, if there are any."""
    if not before and older is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(t("calls.newer"), icon=":material/arrow_back:", disabled=not before, on_click=_turn, args=(None,))
        st.button(
            t("calls.older"), icon=":material/arrow_forward:", disabled=older is None, on_click=_turn, args=(older,)
        )
        st.caption(t("calls.page", n=len(before) + 1), width="content")


def _turn(older: int | None) -> None:
    listed, before = st.session_state[_PLACE]
    st.session_state[_PLACE] = (listed, before[:-1] if older is None else [*before, older])
