"""The history of runs: a table to filter, and what can be done with the run that is selected in it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, get_args

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.calls import Spending
from core.report.summary import JUDGE
from core.store.rows import RunRow, RunStatus
from core.store.store import Store
from pages.shared.draw import percent, when
from pages.shared.history_again import is_file
from pages.shared.history_chosen import chosen_run
from pages.shared.history_removed import removed_runs, undo
from pages.shared.judging import judge_label
from pages.shared.price.cost import spent_cell
from pages.shared.words import say

SHOWN = 50  # runs in the table; older ones are found with the filter


class Wanted(NamedTuple):
    """What the filter asks for; empty for everything."""

    text: str = ""
    status: str = ""
    judge: str = ""


def history(store: Store, bot: str) -> None:
    """The runs of a bot that are over, newest first; one can be selected, deleted ones brought back."""
    runs = [run for run in store.runs(bot) if run.status != "running"]
    undo(store, bot)
    if runs:
        scored = store.judges_of_runs(bot)
        judges = {run.id: _judges(run, scored.get(run.id, {})) for run in runs}
        wanted = _filter(runs, judges, bot)
        _table(store, bot, [run for run in runs if _matches(run, judges[run.id], wanted)], judges, wanted.judge)
    else:
        st.caption(say("batch.earlier_none"))
    removed_runs(store, bot)


def _judges(run: RunRow, scored: dict[str, str]) -> dict[str, str]:
    """Who scored a run, each with its headline criterion, the judge of turns first; who should have, too."""
    found = dict.fromkeys(run.plan.get("judges", ()), "") | scored
    return dict(sorted(found.items(), key=lambda each: (each[0] != JUDGE, not each[1])))


def _filter(runs: list[RunRow], judges: dict[str, dict[str, str]], bot: str) -> Wanted:
    """Text, status and judge; nothing to filter where there is one run."""
    if len(runs) < 2:
        return Wanted()
    left, middle, right = st.columns([2, 1, 1])
    text = left.text_input(say("history.find"), key=f"history-find-{bot}", icon=":material/search:")
    states = [state for state in get_args(RunStatus) if any(run.status == state for run in runs)]
    names = dict.fromkeys(name for run in runs for name in judges[run.id])
    every_status, every_judge = say("history.every_status"), say("history.every_judge")
    status = _pick(middle, "status", bot, {"": every_status, **{one: say(f"status.{one}") for one in states}})
    judge = _pick(right, "judge", bot, {"": every_judge, **{one: judge_label(one) for one in names}})
    return Wanted(text.strip().casefold(), status, judge)


def _pick(place: DeltaGenerator, name: str, bot: str, options: dict[str, str]) -> str:
    """One of the options {value: words}; the first to begin with."""
    key = f"history-{name}-{bot}"
    return str(place.selectbox(say(f"history.{name}"), list(options), format_func=lambda one: options[one], key=key))


def _matches(run: RunRow, judges: dict[str, str], wanted: Wanted) -> bool:
    """Whether every word is in the name or id, and status and judge fit."""
    told = f"{run.name} {run.id}".casefold()
    return (
        all(word in told for word in wanted.text.split())
        and wanted.status in ("", run.status)
        and (not wanted.judge or wanted.judge in judges)
    )


def _table(store: Store, bot: str, runs: list[RunRow], judges: dict[str, dict[str, str]], judge: str) -> None:
    """The runs, each with the score of its first judge (or the one asked for); selecting one shows what can be done."""
    if not runs:
        st.caption(say("history.no_match"))
        return
    shown, spent = runs[:SHOWN], store.spending_by("run_id")
    score = cache(lambda name, criterion: store.run_scores(bot, name, criterion))
    rows = [_row(store, run, judge or next(iter(judges[run.id]), ""), judges[run.id], score, spent) for run in shown]
    empty = [name for name in ("cost", "judge") if not any(row[name] for row in rows)]
    st.caption(say("batch.open"))
    chosen = st.dataframe(
        pd.DataFrame(rows).drop(columns=empty),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"runs-{bot}-{hash(tuple(run.id for run in shown))}",
        column_config=_columns(),
    )
    if len(runs) > SHOWN:
        st.caption(say("history.shown", n=SHOWN, all=f"{len(runs):,}"))
    if chosen.selection.rows:
        chosen_run(store, shown[chosen.selection.rows[0]])


def _row(
    store: Store, run: RunRow, judge: str, judges: dict[str, str], score: Any, spent: dict[str, Spending]
) -> dict[str, object]:
    now, criterion = store.progress(run.id), judges.get(judge, "")
    return {
        "started": when(run.created_at),
        "name": run.name,
        "score": percent(score(judge, criterion).get(run.id) if criterion else None),
        "judge": judge_label(judge) if judge else "",
        "status": say(f"status.{run.status}"),
        "conversations": f"{now.finished} / {now.total}",
        "cost": spent_cell(spent.get(run.id)),
        "kind": say("history.file" if is_file(run) else "history.simulation"),
    }


def _columns() -> dict[str, object]:
    names = {
        "started": "batch.started",
        "name": "history.name",
        "status": "batch.status",
        "conversations": "batch.conversations",
        "score": "scores.score",
        "judge": "history.judge",
        "cost": "runs.cost",
        "kind": "history.kind",
    }
    return {name: st.column_config.TextColumn(say(key)) for name, key in names.items()}
