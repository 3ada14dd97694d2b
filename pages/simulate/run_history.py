"""The history of runs: a table to filter, and what can be done with the run that is selected in it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, get_args

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.aggregate import JUDGE
from core.base.calls import Spending
from core.store.rows import RemovedRun, RunRow, RunStatus
from core.store.store import Store
from pages.components.appearance import local_time, percent, show_errors
from pages.components.cost import spent_cell
from pages.components.judge_picker import judge_label
from pages.components.plain_text import line, plain
from pages.components.run_actions import failed_conversations, is_answer_file, resume_buttons
from pages.components.services import services
from pages.i18n.translate import t

LISTED = 20  # deleted runs shown before "and n more"
_LAST = "history-removed"  # the run that was deleted last in this session


def remove(run: RunRow) -> None:
    """Take a run out of the lists; it can be brought back."""
    with show_errors():
        services().store.runs.remove(run.id)
        st.session_state[_LAST] = run.id
        if st.query_params.get("run") == run.id:
            del st.query_params["run"]


def undo(store: Store, bot: str) -> None:
    """What was deleted just now, with the way back."""
    last = st.session_state.get(_LAST)
    found = next((each for each in store.runs.removed(bot) if each.run.id == last), None)
    if found is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f":material/delete: {t('history.removed', name=line(found.run.name, 60))}", width="content")
        _restore_button(found.run, "undo", t("common.undo"))


def removed_runs(store: Store, bot: str) -> None:
    """All deleted runs of a bot, each with the way back and the end for good."""
    found = store.runs.removed(bot)
    if not found:
        return
    looks = {"icon": ":material/restore_from_trash:", "key": f"removed-runs-{bot}"}
    with st.expander(t("history.removed_all", n=len(found)), **looks):
        st.caption(t("history.removed_lead"))
        for each in found[:LISTED]:
            _removed(each)
        if len(found) > LISTED:
            st.caption(t("scores.and_more", n=len(found) - LISTED))


def _removed(each: RemovedRun) -> None:
    run = each.run
    words = f"{local_time(run.created_at)}　{line(run.name, 60)}　{t('runs.n_conversations', n=f'{run.total:,}')}"
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(words, width="content")
        _restore_button(run, "restore", t("history.restore"))
        with st.popover(t("history.delete_permanently"), icon=":material/delete_forever:", key=f"forget-ask-{run.id}"):
            st.markdown(t("history.delete_warning"))
            st.button(
                t("history.delete_permanently"), key=f"forget-{run.id}", type="primary", on_click=_forget, args=(run,)
            )


def _restore_button(run: RunRow, place: str, label: str) -> None:
    st.button(label, icon=":material/undo:", key=f"{place}-{run.id}", on_click=_restore, args=(run,))


def _restore(run: RunRow) -> None:
    with show_errors():
        services().store.runs.restore(run.id)
        st.toast(t("history.restored", name=plain(run.name)), icon=":material/check:")


def _forget(run: RunRow) -> None:
    with show_errors():
        services().store.runs.delete(run.id)
        st.toast(t("history.deleted_permanently", name=plain(run.name)), icon=":material/check:")


def chosen_run(store: Store, run: RunRow) -> None:
    """The run that was selected in the table, with everything that can be done with it."""
    now = store.runs.progress(run.id)
    with st.container(border=True):
        _rename(run)
        _about(run)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            _open(run)
            resume_buttons(run, now, "chosen")
            key = f"remove-{run.id}"
            st.button(t("history.remove"), icon=":material/delete:", key=key, on_click=remove, args=(run,))
        failed_conversations(store, run, now.failed)


def _about(run: RunRow) -> None:
    key = "history.about_file" if is_answer_file(run) else "history.about"
    st.caption(
        t(key, when=local_time(run.created_at), id=line(run.id), **({} if is_answer_file(run) else {"seed": run.seed}))
    )


def _open(run: RunRow) -> None:
    """Charts and transcripts of the run."""
    asked = {"bot": run.bot, "run": run.id}
    for page, key, icon in (
        ("scores", "batch.open_results", "bar_chart"),
        ("transcripts", "menu.transcripts", "forum"),
    ):
        st.page_link(f"pages/results/{page}.py", label=t(key), icon=f":material/{icon}:", query_params=asked)


def _rename(run: RunRow) -> None:
    """The name as a field that is saved when it is left."""
    key = f"name-{run.id}"
    if key not in st.session_state:
        st.session_state[key] = run.name
    st.text_input(t("history.name"), max_chars=200, key=key, on_change=_renamed, args=(run, key))


def _renamed(run: RunRow, key: str) -> None:
    """Keep the new name; an empty field brings the old one back."""
    name = st.session_state[key].strip()
    if not name:
        st.session_state[key] = run.name
        return
    with show_errors():
        services().store.runs.rename(run.id, name)
        st.toast(t("history.renamed"), icon=":material/check:")


SHOWN = 50  # runs in the table; older ones are found with the filter


class Wanted(NamedTuple):
    """What the filter asks for; empty for everything."""

    text: str = ""
    status: str = ""
    judge: str = ""


def history(store: Store, bot: str) -> None:
    """The runs of a bot that are over, newest first; one can be selected, deleted ones brought back."""
    runs = [run for run in store.runs.all(bot) if run.status != "running"]
    undo(store, bot)
    if runs:
        scored = store.scores.judges_by_run(bot)
        judges = {run.id: _judges(run, scored.get(run.id, {})) for run in runs}
        wanted = _filter(runs, judges, bot)
        _table(store, bot, [run for run in runs if _matches(run, judges[run.id], wanted)], judges, wanted.judge)
    else:
        st.caption(t("batch.earlier_none"))
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
    text = left.text_input(t("history.find"), key=f"history-find-{bot}", icon=":material/search:")
    states = [state for state in get_args(RunStatus) if any(run.status == state for run in runs)]
    names = dict.fromkeys(name for run in runs for name in judges[run.id])
    every_status, every_judge = t("history.every_status"), t("history.every_judge")
    status = _pick(middle, "status", bot, {"": every_status, **{one: t(f"status.{one}") for one in states}})
    judge = _pick(right, "judge", bot, {"": every_judge, **{one: judge_label(one) for one in names}})
    return Wanted(text.strip().casefold(), status, judge)


def _pick(place: DeltaGenerator, name: str, bot: str, options: dict[str, str]) -> str:
    """One of the options {value: words}; the first to begin with."""
    key = f"history-{name}-{bot}"
    return str(place.selectbox(t(f"history.{name}"), list(options), format_func=lambda one: options[one], key=key))


def _matches(run: RunRow, judges: dict[str, str], wanted: Wanted) -> bool:
    """Whether every word is in the name or id, and status and judge fit."""
    text = f"{run.name} {run.id}".casefold()
    return (
        all(word in text for word in wanted.text.split())
        and wanted.status in ("", run.status)
        and (not wanted.judge or wanted.judge in judges)
    )


def _table(store: Store, bot: str, runs: list[RunRow], judges: dict[str, dict[str, str]], judge: str) -> None:
    """The runs, each with the score of its first judge (or the one asked for); selecting one shows what can be done."""
    if not runs:
        st.caption(t("history.no_match"))
        return
    shown, spent = runs[:SHOWN], store.calls.spending_by("run_id")
    score = cache(lambda name, criterion: store.scores.run_means(bot, name, criterion))
    rows = [_row(store, run, judge or next(iter(judges[run.id]), ""), judges[run.id], score, spent) for run in shown]
    empty = [name for name in ("cost", "judge") if not any(row[name] for row in rows)]
    st.caption(t("batch.open"))
    chosen = st.dataframe(
        pd.DataFrame(rows).drop(columns=empty),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"runs-{bot}-{hash(tuple(run.id for run in shown))}",
        column_config=_columns(),
    )
    if len(runs) > SHOWN:
        st.caption(t("history.shown", n=SHOWN, all=f"{len(runs):,}"))
    if chosen.selection.rows:
        chosen_run(store, shown[chosen.selection.rows[0]])


def _row(
    store: Store, run: RunRow, judge: str, judges: dict[str, str], score: Any, spent: dict[str, Spending]
) -> dict[str, object]:
    now, criterion = store.runs.progress(run.id), judges.get(judge, "")
    return {
        "started": local_time(run.created_at),
        "name": run.name,
        "score": percent(score(judge, criterion).get(run.id) if criterion else None),
        "judge": judge_label(judge) if judge else "",
        "status": t(f"status.{run.status}"),
        "conversations": f"{now.finished} / {now.total}",
        "cost": spent_cell(spent.get(run.id)),
        "kind": t("history.file" if is_answer_file(run) else "history.simulation"),
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
    return {name: st.column_config.TextColumn(t(key)) for name, key in names.items()}
