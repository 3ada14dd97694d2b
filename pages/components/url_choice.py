"""A choice that lives in the page's address, so that links, the menu and Back all work."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

NAMED = frozenset({"bot", "run", "conversation", "a", "b"})  # always in the address, so that it can be passed on


_BELOW = {"bot": ("chat", "run", "conversation", "doc", "a", "b"), "run": ("conversation",)}  # what belongs to a choice


def choose_in_url(
    name: str,
    label: str,
    options: dict[str, str],
    place: DeltaGenerator | None = None,
    control: str = "selectbox",
    **looks: Any,
) -> str:
    """A choice among `options` {value: words} that lives in the address, so that links, the menu and Back all work.

    control: Streamlit's name of the widget (`selectbox`, `segmented_control`). What the address does not say is the one made before (only for the bot, on any page), else the first.
    """
    asked, box, labels = st.query_params.get(name, ""), f"{name}_box", _told_apart(options)
    before = _by_hand(name, asked) or asked
    wanted = next((one for one in (before, st.session_state.get(name, "")) if one in options), next(iter(options)))
    if st.session_state.get(box) != wanted or st.session_state.get(f"{name}_page") != _page():
        st.session_state[box] = wanted  # only then: a value that is set anew would undo a choice being made just now
    st.session_state[f"{name}_page"] = _page()
    chosen = str(
        getattr(place or st, control)(
            label,
            list(options),
            format_func=lambda one: labels.get(one, one),
            key=box,
            on_change=_chosen,
            args=(name,),
            **looks,
        )
    )
    if asked != chosen and (asked or name in NAMED or chosen != next(iter(options))):
        st.query_params[name] = chosen  # what anybody sees anyway is left out: each change is a step for Back
    return chosen


def _told_apart(options: dict[str, str]) -> dict[str, str]:
    """The words of each option, equal ones numbered (Streamlit tells options apart by their words)."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for value, words in options.items():
        seen[words] += 1
        found[value] = words if seen[words] == 1 else f"{words} ({seen[words]})"
    return found


def _page() -> str:
    """Which page this is."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def _by_hand(name: str, asked: str) -> str:
    """A choice made by hand that the address does not show yet (a run cut short comes again with the old address)."""
    context = get_script_run_ctx()
    chosen, old, page = st.session_state.get(f"{name}_hand", ("", "", ""))
    if page == _page() and asked in (chosen, old) and not (context and context.is_history_navigation):
        return chosen
    st.session_state.pop(f"{name}_hand", None)
    return ""


def _chosen(name: str) -> None:
    """A choice made by hand goes into the address, and what belongs to the one before leaves it (in one step for Back)."""
    chosen = st.session_state[f"{name}_box"]
    st.session_state[f"{name}_hand"] = (chosen, st.query_params.get(name, ""), _page())
    for below in _BELOW.get(name, ()):
        st.session_state.pop(f"{below}_hand", None)
    gone: dict[str, Any] = {below: [] for below in _BELOW.get(name, ()) if below in st.query_params}
    st.query_params.update({name: chosen, **gone})
