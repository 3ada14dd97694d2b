"""A choice that is stored in the page's address, so that links, the menu and the Back button work."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.i18n.translate import t

ALWAYS_SHOWN = frozenset({"bot", "run", "conversation", "a", "b"})  # also in the address if it is the first option
_DEPENDENT = {"bot": ("chat", "run", "conversation", "doc", "a", "b"), "run": ("conversation",)}


def choose_in_url(
    name: str,
    label: str,
    options: dict[str, str],
    place: DeltaGenerator | None = None,
    control: str = "selectbox",
    **widget_options: Any,
) -> str:
    """Choose one of the options {value: label}. The default is the one in the address, else the first.

    For the bot, the one that was chosen last on any page comes before the first. control: Streamlit's name of the widget
    (`selectbox`, `segmented_control`).
    """
    in_url, key, labels = st.query_params.get(name, ""), f"{name}_box", _unique_labels(options)
    candidates = (_picked(name, in_url) or in_url, st.session_state.get(name, ""))
    current = next((value for value in candidates if value in options), next(iter(options)))
    if st.session_state.get(key) != current or st.session_state.get(f"{name}_page") != _page():
        st.session_state[key] = current  # only then, since setting the value would undo a choice made meanwhile
    st.session_state[f"{name}_page"] = _page()
    chosen = str(
        getattr(place or st, control)(
            label,
            list(options),
            format_func=lambda value: labels.get(value, value),
            key=key,
            on_change=_on_change,
            args=(name,),
            **widget_options,
        )
    )
    if in_url != chosen and (in_url or name in ALWAYS_SHOWN or chosen != next(iter(options))):
        st.query_params[name] = chosen  # a default stays out of the address, since each change is a step for Back
    return chosen


def set_in_url(**query: str) -> None:
    """Change the page's address, as one step for Back; what is empty is removed from it."""
    st.query_params.update({name: value or [] for name, value in query.items() if value or name in st.query_params})


def forget_choice(*names: str) -> None:
    """Forget what was picked in these widgets, so that the address decides."""
    for name in names:
        st.session_state.pop(f"{name}_picked", None)


def share_address(address: str | None, page: str, **query: object) -> str:
    """The address (None: unknown) of a page with this query alone, without the user's language and filters."""
    parts = urlsplit(address or "")
    return urlunsplit((parts.scheme, parts.netloc, parts.path or f"/{page}", urlencode(query), ""))


def show_share_link(lead: str, key: str, page: str, **query: object) -> None:
    """A button that shows the address of a page with this query, under a line about it."""
    with st.popover(t("transcripts.share"), icon=":material/link:", key=key):
        st.caption(lead)
        st.code(share_address(st.context.url, page, **query), language=None, wrap_lines=True)


def _unique_labels(options: dict[str, str]) -> dict[str, str]:
    """The label of each option, equal ones numbered, since Streamlit cannot tell them apart."""
    counts: Counter[str] = Counter()
    labels: dict[str, str] = {}
    for value, label in options.items():
        counts[label] += 1
        labels[value] = label if counts[label] == 1 else f"{label} ({counts[label]})"
    return labels


def _page() -> str:
    """Streamlit's id of this page."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def _picked(name: str, in_url: str) -> str:
    """What was picked in the widget but is not in the address yet (an interrupted run comes with the old address)."""
    context = get_script_run_ctx()
    picked, old, page = st.session_state.get(f"{name}_picked", ("", "", ""))
    if page == _page() and in_url in (picked, old) and not (context and context.is_history_navigation):
        return picked
    forget_choice(name)
    return ""


def _on_change(name: str) -> None:
    """Put what was picked into the address, and remove the choices that depend on it (as one step for Back)."""
    picked, dependent = st.session_state[f"{name}_box"], _DEPENDENT.get(name, ())
    st.session_state[f"{name}_picked"] = (picked, st.query_params.get(name, ""), _page())
    forget_choice(*dependent)
    set_in_url(**{name: picked}, **dict.fromkeys(dependent, ""))
