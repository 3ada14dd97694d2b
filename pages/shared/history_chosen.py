"""What can be done with one earlier run: open it, rename it, go on with it, delete it."""

from __future__ import annotations

import streamlit as st

from core.store.rows import RunRow
from core.store.store import Store
from pages.shared.draw import line, told, when
from pages.shared.history_again import again, is_file
from pages.shared.history_errors import failures
from pages.shared.history_removed import remove
from pages.shared.services import house
from pages.shared.words import say


def chosen_run(store: Store, run: RunRow) -> None:
    """The run that was selected in the table, with everything that can be done with it."""
    now = store.progress(run.id)
    with st.container(border=True):
        _rename(run)
        _about(run)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            _open(run)
            again(run, now, "chosen")
            key = f"remove-{run.id}"
            st.button(say("history.remove"), icon=":material/delete:", key=key, on_click=remove, args=(run,))
        failures(store, run, now.failed)


def _about(run: RunRow) -> None:
    key = "history.about_file" if is_file(run) else "history.about"
    st.caption(say(key, when=when(run.created_at), id=line(run.id), **({} if is_file(run) else {"seed": run.seed})))


def _open(run: RunRow) -> None:
    """Charts and transcripts of the run."""
    asked = {"bot": run.bot, "run": run.id}
    for page, key, icon in (
        ("scores", "batch.open_results", "bar_chart"),
        ("transcripts", "menu.transcripts", "forum"),
    ):
        st.page_link(f"pages/results/{page}.py", label=say(key), icon=f":material/{icon}:", query_params=asked)


def _rename(run: RunRow) -> None:
    """The name as a field that is saved when it is left."""
    key = f"name-{run.id}"
    if key not in st.session_state:
        st.session_state[key] = run.name
    st.text_input(say("history.name"), max_chars=200, key=key, on_change=_renamed, args=(run, key))


def _renamed(run: RunRow, key: str) -> None:
    """Keep the new name; an empty field brings the old one back."""
    name = st.session_state[key].strip()
    if not name:
        st.session_state[key] = run.name
        return
    with told():
        house().store.rename_run(run.id, name)
        st.toast(say("history.renamed"), icon=":material/check:")
