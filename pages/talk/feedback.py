"""What the person presses under a reply: thumbs, and asked too much or too little, which moves their patience."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.widgets import action_button
from pages.i18n.translate import t
from pages.talk.toolbar import LEVELS

MOVES = {"asked_too_much": -1, "should_have_asked": 1}
OPPOSITE = {"up": "down", "down": "up", "asked_too_much": "should_have_asked", "should_have_asked": "asked_too_much"}
ICONS = {
    "up": "thumb_up",
    "down": "thumb_down",
    "asked_too_much": "speed",
    "should_have_asked": "contact_support",
}


def show_feedback_buttons(store: Store, row: TurnRow) -> None:
    """Thumbs and the two buttons that move the person's patience, with what they moved and an undo."""
    pressed = {mark.kind: mark.comment for mark in row.feedback}
    with st.container(horizontal=True, gap="small", key=f"marks-{row.id}"):
        for kind in ("up", "down", *MOVES):
            name = t(f"chat.{kind}")
            label, key, style = (
                name if kind in MOVES else "",
                f"{kind}-{row.id}",
                "primary" if kind in pressed else "tertiary",
            )
            action_button(label, ICONS[kind], _press, store, row.id, kind, pressed, key=key, help=name, type=style)
    for kind in MOVES:
        if kind in pressed:
            _show_patience_change(store, row.id, kind, pressed)


def _press(store: Store, turn: int, kind: str, pressed: dict[str, str]) -> None:
    """Press a button, or take it back if it is pressed already; its opposite goes either way."""
    for pressed_kind in {kind, OPPOSITE[kind]} & pressed.keys():
        _take_back(store, turn, pressed_kind, pressed[pressed_kind])
    if kind not in pressed:
        store.chats.add_feedback(turn, kind, _move_patience(store, MOVES.get(kind, 0)))


def _move_patience(store: Store, step: int) -> str:
    """Move the user's patience by a step. Returns "before>after", or "" if nothing moves."""
    if not step:
        return ""
    now = store.chats.profile()
    at = LEVELS.index(now.patience)
    after = LEVELS[min(len(LEVELS) - 1, max(0, at + step))]
    store.chats.save_profile(now.model_copy(update={"patience": after}))
    return f"{now.patience}>{after}"


def _take_back(store: Store, turn: int, kind: str, comment: str) -> None:
    """Remove what was pressed, and move the patience back if it had been moved."""
    before, _, after = comment.partition(">")
    store.chats.remove_feedback(turn, kind)
    now = store.chats.profile()
    if before in LEVELS and now.patience == after:
        store.chats.save_profile(now.model_copy(update={"patience": before}))


def _show_patience_change(store: Store, turn: int, kind: str, pressed: dict[str, str]) -> None:
    before, _, after = pressed[kind].partition(">")
    if before not in LEVELS or after not in LEVELS:
        return
    names = {"before": t(f"chat.patience_{before}"), "after": t(f"chat.patience_{after}")}
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(t("chat.patience_moved" if before != after else "chat.patience_end", **names), width="content")
        press = partial(_press, store, turn, kind, pressed)
        action_button(t("common.undo"), "undo", press, key=f"undo-{kind}-{turn}", type="tertiary")
