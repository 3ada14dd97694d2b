"""Runs that were deleted: the way back right after it and later, and the end for good."""

from __future__ import annotations

import streamlit as st

from core.store.history import RemovedRun
from core.store.rows import RunRow
from core.store.store import Store
from pages.shared.draw import line, plain, told, when
from pages.shared.services import house
from pages.shared.words import say

LISTED = 20  # deleted runs shown before "and n more"
_LAST = "history-removed"  # the run that was deleted last in this session


def remove(run: RunRow) -> None:
    """Take a run out of the lists; it can be brought back."""
    with told():
        house().store.remove_run(run.id)
        st.session_state[_LAST] = run.id
        if st.query_params.get("run") == run.id:
            del st.query_params["run"]


def undo(store: Store, bot: str) -> None:
    """What was deleted just now, with the way back."""
    last = st.session_state.get(_LAST)
    found = next((each for each in store.removed_runs(bot) if each.run.id == last), None)
    if found is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f":material/delete: {say('history.removed', name=line(found.run.name, 60))}", width="content")
        _restore_button(found.run, "undo", say("common.undo"))


def removed_runs(store: Store, bot: str) -> None:
    """All deleted runs of a bot, each with the way back and the end for good."""
    found = store.removed_runs(bot)
    if not found:
        return
    looks = {"icon": ":material/restore_from_trash:", "key": f"removed-runs-{bot}"}
    with st.expander(say("history.removed_all", n=len(found)), **looks):
        st.caption(say("history.removed_lead"))
        for each in found[:LISTED]:
            _removed(each)
        if len(found) > LISTED:
            st.caption(say("scores.and_more", n=len(found) - LISTED))


def _removed(each: RemovedRun) -> None:
    run = each.run
    words = f"{when(run.created_at)}　{line(run.name, 60)}　{say('runs.n_conversations', n=f'{run.total:,}')}"
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(words, width="content")
        _restore_button(run, "restore", say("history.restore"))
        with st.popover(say("history.forget"), icon=":material/delete_forever:", key=f"forget-ask-{run.id}"):
            st.markdown(say("history.forget_sure"))
            st.button(say("history.forget"), key=f"forget-{run.id}", type="primary", on_click=_forget, args=(run,))


def _restore_button(run: RunRow, place: str, label: str) -> None:
    st.button(label, icon=":material/undo:", key=f"{place}-{run.id}", on_click=_restore, args=(run,))


def _restore(run: RunRow) -> None:
    with told():
        house().store.restore_run(run.id)
        st.toast(say("history.restored", name=plain(run.name)), icon=":material/check:")


def _forget(run: RunRow) -> None:
    with told():
        house().store.delete_run(run.id)
        st.toast(say("history.forgotten", name=plain(run.name)), icon=":material/check:")
