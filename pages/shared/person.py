"""The person on the chat page: who they are, how patient, what they press under a reply."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from core.base.types import Patience, Profile
from core.store.rows import TurnRow
from core.store.store import Store
from pages.shared.draw import told
from pages.shared.words import say

LEVELS: tuple[Patience, ...] = get_args(Patience)  # from asking least to asking most
MOVES = {"asked_too_much": -1, "should_have_asked": 1}
OPPOSITE = {"up": "down", "down": "up", "asked_too_much": "should_have_asked", "should_have_asked": "asked_too_much"}
ICONS = {
    "up": ":material/thumb_up:",
    "down": ":material/thumb_down:",
    "asked_too_much": ":material/speed:",
    "should_have_asked": ":material/contact_support:",
}


def profile_form(store: Store) -> None:
    """What the person tells about themselves; kept in the database as it is typed."""
    now = store.profile()
    st.caption(say("chat.you_lead"))
    fields = {
        name: st.text_input(say(f"chat.{name}"), getattr(now, name), max_chars=200)
        for name in ("department", "office", "role")
    }
    note = st.text_area(say("chat.note"), now.note, max_chars=1000, height=80)
    patience = st.segmented_control(
        say("chat.patience"),
        LEVELS,
        default=now.patience,
        format_func=lambda level: say(f"chat.patience_{level}"),
        required=True,
    )
    new = Profile(**fields, note=note, patience=patience or now.patience)
    if new != now:
        with told():
            store.save_profile(new)


def buttons(store: Store, row: TurnRow) -> None:
    """Thumbs and the two buttons that move the person's patience, with what they moved and an undo."""
    pressed = {mark.kind: mark.comment for mark in row.feedback}
    with st.container(horizontal=True, gap="small", key=f"marks-{row.id}"):
        for kind in ("up", "down", *MOVES):
            label = "" if kind in ("up", "down") else say(f"chat.{kind}")
            st.button(
                label,
                key=f"{kind}-{row.id}",
                icon=ICONS[kind],
                help=say(f"chat.{kind}"),
                type="primary" if kind in pressed else "tertiary",
                on_click=_press,
                args=(store, row.id, kind, pressed),
            )
    for kind in MOVES:
        if kind in pressed:
            _moved(store, row.id, kind, pressed)


def _press(store: Store, turn: int, kind: str, pressed: dict[str, str]) -> None:
    """Press a button, or take it back where it is pressed already; its opposite goes either way."""
    with told():
        for taken in {kind, OPPOSITE[kind]} & pressed.keys():
            _take_back(store, turn, taken, pressed[taken])
        if kind not in pressed:
            store.add_feedback(turn, kind, _move(store, MOVES.get(kind, 0)))


def _move(store: Store, step: int) -> str:
    """Move the person's patience by a step; gives "before>after", empty where nothing is to move."""
    if not step:
        return ""
    now = store.profile()
    at = LEVELS.index(now.patience)
    after = LEVELS[min(len(LEVELS) - 1, max(0, at + step))]
    store.save_profile(now.model_copy(update={"patience": after}))
    return f"{now.patience}>{after}"


def _take_back(store: Store, turn: int, kind: str, comment: str) -> None:
    """Remove what was pressed, and move the patience back where it had been moved."""
    before, _, after = comment.partition(">")
    store.remove_feedback(turn, kind)
    now = store.profile()
    if before in LEVELS and now.patience == after:
        store.save_profile(now.model_copy(update={"patience": before}))


def _moved(store: Store, turn: int, kind: str, pressed: dict[str, str]) -> None:
    before, _, after = pressed[kind].partition(">")
    if before not in LEVELS or after not in LEVELS:
        return
    names = {"before": say(f"chat.patience_{before}"), "after": say(f"chat.patience_{after}")}
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(say("chat.patience_moved" if before != after else "chat.patience_end", **names), width="content")
        st.button(
            say("common.undo"),
            key=f"undo-{kind}-{turn}",
            icon=":material/undo:",
            type="tertiary",
            on_click=_press,
            args=(store, turn, kind, pressed),
        )
