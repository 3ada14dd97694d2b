"""Which of two replies beside each other is better: four buttons below each pair, and the name of who presses them."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.store.preferences import CHOICES, Choice, Preference
from core.store.reviews import CHAT_REVIEWER, LONGEST_NAME, reviewer_name
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.plain_text import plain
from pages.i18n.translate import t

ICONS = {
    "left": ":material/arrow_back:",
    "right": ":material/arrow_forward:",
    "both_good": ":material/thumb_up:",
    "both_bad": ":material/thumb_down:",
}


def choose_preferring_reviewer() -> None:
    """The name under which choices are stored, also in the address; may be left empty."""
    name = preferring_reviewer()
    label = t("label_files.reviewer") if name == CHAT_REVIEWER else plain(name, links=False)
    with st.popover(label, icon=":material/badge:", help=t("versions.reviewer_help")):
        now = st.query_params.get("reviewer", "")
        typed = st.text_input(t("label.reviewer"), now, LONGEST_NAME, key="preference-reviewer")
        if typed.strip() != now:
            st.query_params["reviewer"] = typed.strip()
            st.rerun()


def preferring_reviewer() -> str:
    """The reviewer of the address, else the one that feedback of the chat pages goes by."""
    try:
        return reviewer_name(st.query_params.get("reviewer", ""))
    except BadInput:
        return CHAT_REVIEWER


def show_preference_buttons(store: Store, left: int, right: int, chosen: Choice | None) -> None:
    """A is better, B is better, both good, both bad; pressed again, it is taken back."""
    with st.container(horizontal=True, gap="small", key=f"prefer-{left}-{right}"):
        for choice in CHOICES:
            st.button(
                t(f"versions.{choice}"),
                key=f"prefer-{choice}-{left}-{right}",
                icon=ICONS[choice],
                type="primary" if choice == chosen else "tertiary",
                on_click=_press,
                args=(store, Preference(left, right, preferring_reviewer(), choice), chosen),
            )


def _press(store: Store, preference: Preference, chosen: Choice | None) -> None:
    with show_errors():
        if preference.choice == chosen:
            store.preferences.remove(preference.left, preference.right, preference.reviewer)
        else:
            store.preferences.save(preference)
