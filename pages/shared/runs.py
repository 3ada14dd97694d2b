"""How runs look: progress while they go on, and the list of all of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.report.summary import summarise
from core.store.rows import Progress, RunRow
from core.store.store import Store
from pages.shared.draw import line, percent, plain, told, when
from pages.shared.services import house
from pages.shared.words import say

LIVE = 3  # conversations shown while they go on


def watch(store: Store, run: RunRow) -> None:
    """Progress and live transcripts of a run; asks again every second only while it goes on."""
    active = run.status == "running"

    @st.fragment(run_every=1.0 if active else None)
    def draw() -> None:
        now = store.progress(run.id)
        if active and now.status != "running":
            st.rerun()
        with st.container(border=True):
            _bar(run, now)
            if now.status == "running":
                _live(store, run.id)

    draw()


def _bar(run: RunRow, now: Progress) -> None:
    counts = {"done": now.finished, "total": now.total}
    st.markdown(f"**{say(f'batch.{_state(now.status)}', **counts)}**")
    st.progress(min(1.0, now.finished / now.total) if now.total else 0.0)
    notes = [say("batch.speed", speed=f"{now.per_second:.1f}"), say("common.seconds", seconds=f"{now.seconds:.0f}")]
    if now.eta_seconds is not None:
        notes.append(say("batch.eta", seconds=f"{now.eta_seconds:.0f}"))
    if now.failed:
        notes.append(f":orange[{say('batch.failed', n=now.failed)}]")
    st.caption(" · ".join(notes))
    if run.error:
        st.warning(say("batch.failed_run", error=plain(run.error)), icon=":material/error:")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if now.status == "running":
            st.button(say("batch.stop"), icon=":material/stop:", on_click=_stop, args=(run.id,))
        open_link(run.id, run.bot)


def _state(status: str) -> str:
    return "finished" if status == "done" else status


def _stop(run_id: str) -> None:
    with told():
        house().batches.stop(run_id)


def open_link(run_id: str, bot: str) -> None:
    """One click to the charts of a run."""
    asked = {"bot": bot, "run": run_id}
    st.page_link(
        "pages/results/scores.py", label=say("batch.open_results"), icon=":material/bar_chart:", query_params=asked
    )


def _live(store: Store, run_id: str) -> None:
    """The conversations under way, as far as they have come."""
    st.caption(say("batch.live"))
    going = store.conversations(run_id, "running")[:LIVE]
    if not going:
        st.caption(say("batch.live_none"))
        return
    for column, conversation in zip(st.columns(LIVE), going, strict=False):
        with column, st.container(border=True, height=190):
            st.caption(f"{conversation.number}\\. {line(conversation.persona_name, 20)}")
            turns = store.transcript(conversation.id)
            if not turns:
                st.markdown(f":material/person: {line(conversation.question, 90)}")
            for row in turns[-2:]:
                st.markdown(f":material/person: {line(row.user_text, 90)}")
                st.markdown(f":material/support_agent: {line(row.reply_text, 120)}")


def run_table(store: Store, bot: str) -> None:
    """The runs of a bot, newest first; selecting one opens its results."""
    runs = [run for run in store.runs(bot) if run.status != "running"][:30]
    if not runs:
        st.caption(say("batch.earlier_none"))
        return
    rows = [_run_row(store, run) for run in runs]
    st.caption(say("batch.open"))
    chosen = st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"runs-{bot}",
        column_config={"score": st.column_config.TextColumn(say("scores.score"))} | _columns(),
    )
    if chosen.selection.rows:
        st.switch_page("pages/results/scores.py", query_params={"bot": bot, "run": runs[chosen.selection.rows[0]].id})


def _columns() -> dict[str, object]:
    names = {
        "started": "batch.started",
        "status": "batch.status",
        "conversations": "batch.conversations",
        "seed": "batch.seed",
    }
    return {name: st.column_config.TextColumn(say(key)) for name, key in names.items()}


def _run_row(store: Store, run: RunRow) -> dict[str, object]:
    now = store.progress(run.id)
    score = summarise(store.score_frame(run.id), store.conversations(run.id)).score if run.status != "running" else None
    return {
        "started": when(run.created_at),
        "status": say(f"status.{run.status}"),
        "conversations": f"{now.finished} / {now.total}",
        "score": percent(score),
        "seed": str(run.seed),
    }


def run_label(run: RunRow) -> str:
    """A run in a list: when, how large, whether it ended."""
    return say("runs.label", when=when(run.created_at), n=run.total, status=say(f"status.{run.status}"))
