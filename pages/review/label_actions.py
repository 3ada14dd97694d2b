"""What a key does on the label page: give a verdict, move on, skip, undo."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import streamlit as st

from core.store.reviews import OPEN, TurnLabel, Verdict
from core.store.store import Store
from pages.i18n.translate import t

VERDICTS: tuple[tuple[Verdict, str, str, str], ...] = (
    ("yes", "yes", "Y", ":material/check:"),
    ("no", "no", "N", ":material/close:"),
    ("", "cannot_say", "D", ":material/question_mark:"),
)


class Labelling:
    """One reviewer's way through the turns of a run, in the order of labelling."""

    def __init__(self, store: Store, pool: str, reviewer: str, order: Sequence[int]) -> None:
        self.store, self.pool, self.reviewer, self.order = store, pool, reviewer, order
        self.places = {turn: place for place, turn in enumerate(order)}
        self.labelled = store.reviews.labelled(pool, reviewer)

    @cached_property
    def left(self) -> list[int]:
        """The turns without the reviewer's verdict, in order."""
        return [turn for turn in self.order if turn not in self.labelled]

    def next_open(self, after: int | None = None) -> int:
        """The next turn without a verdict, from the start again at the end; the next turn at all if all have one."""
        place = self.places.get(after, -1) if after is not None else -1
        if self.left:
            return next((turn for turn in self.left if self.places[turn] > place), self.left[0])
        return self.order[(place + 1) % len(self.order)]

    def before(self, turn: int) -> int:
        """The turn before in the order."""
        return self.order[(self.places[turn] - 1) % len(self.order)]


def go_to(turn: int) -> None:
    """Show a turn; it is in the address, so that a reload shows it again."""
    st.query_params["turn"] = str(turn)


def verdict_name(verdict: Verdict) -> str:
    """A verdict in words."""
    return next((t(f"label.{name}") for value, name, _, _ in VERDICTS if value == verdict), "–")


def show_answer_keys(work: Labelling, label: TurnLabel) -> None:
    """The three verdicts, each with its key; the one that was given is filled."""
    with st.container(horizontal=True, gap="small"):
        for verdict, name, key, icon in VERDICTS:
            kind = "primary" if label.verdict == verdict else "secondary"
            st.button(
                t(f"label.{name}"), icon=icon, shortcut=key, type=kind, key=f"verdict-{name}",
                on_click=_give, args=(work, label, verdict),
            )  # fmt: skip


def show_moves(work: Labelling, turn: int) -> None:
    """Next, previous, skip and undo, each with its key."""
    is_labelled = turn in work.labelled
    with st.container(horizontal=True, gap="small"):
        st.button(
            t("label.previous"), icon=":material/arrow_back:", shortcut="Left", key="move-previous",
            on_click=go_to, args=(work.before(turn),),
        )  # fmt: skip
        st.button(
            t("label.next" if is_labelled else "label.skip"), shortcut="Right", key="move-next",
            icon=":material/arrow_forward:" if is_labelled else ":material/skip_next:",
            on_click=go_to, args=(work.next_open(turn),),
        )  # fmt: skip
        st.button(t("common.undo"), icon=":material/undo:", shortcut="Z", key="move-undo", on_click=_undo, args=(work,))
    st.caption(t("label.keys"))


def _give(work: Labelling, label: TurnLabel, verdict: Verdict) -> None:
    """Store a verdict; one that is changed after the judges' verdicts were seen is not blind."""
    stored = work.store.reviews.get(label.turn_id, label.reviewer)
    if stored.verdict == verdict:
        return
    blind = stored.blind and stored.verdict == OPEN
    work.store.reviews.save(stored.model_copy(update={"verdict": verdict, "blind": blind, "created_at": None}))


def _undo(work: Labelling) -> None:
    turn = work.store.reviews.undo(work.reviewer, work.pool)
    if turn is None:
        st.toast(t("label.undone_nothing"), icon=":material/info:")
    else:
        go_to(turn)
