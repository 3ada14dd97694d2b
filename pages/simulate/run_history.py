"""Earlier runs: a table with filters, actions for the selected run, and deleted runs."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import pandas as pd
import streamlit as st

from core.analysis.formatting import percent
from core.analysis.names import judge_name
from core.base.calls import Spending
from core.base.types import TURN_JUDGE
from core.store.rows import Progress, RunRow, RunStatus, TrashedRun
from core.store.store import Store
from pages.components.appearance import local_time, show_errors, show_some
from pages.components.cost import money_text, prices
from pages.components.links import page_link, scores_link
from pages.components.plain_text import line, plain
from pages.components.provenance import show_provenance
from pages.components.run_progress import show_failed_conversations, show_resume_buttons
from pages.components.services import services
from pages.components.widgets import action_button, choose, choose_row
from pages.i18n.translate import t

MAX_DELETED = 20  # deleted runs listed before "and n more"
MAX_ROWS = 50  # runs in the table; older ones are found with the filter
_LAST_DELETED = "history-deleted"  # in the session: the run that was deleted last


def _delete(run: RunRow) -> None:
    """Delete a run; it can be restored."""
    services().store.runs.trash(run.id)
    st.session_state[_LAST_DELETED] = run.id
    if st.query_params.get("run") == run.id:
        del st.query_params["run"]


def _show_undo(deleted: list[TrashedRun]) -> None:
    last = st.session_state.get(_LAST_DELETED)
    run = next((removed.run for removed in deleted if removed.run.id == last), None)
    if run is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.markdown(f":material/delete: {t('history.removed', name=line(run.name, 60))}", width="content")
        action_button(t("common.undo"), "undo", _restore, run, key=f"undo-{run.id}")


def _show_deleted_runs(deleted: list[TrashedRun], bot: str) -> None:
    """List deleted runs, each with buttons to restore it or delete it permanently."""
    if not deleted:
        return
    label, key = t("history.removed_all", n=len(deleted)), f"deleted-runs-{bot}"
    with st.expander(label, icon=":material/restore_from_trash:", key=key):
        st.caption(t("history.removed_lead"))
        show_some(deleted, MAX_DELETED, lambda removed: _show_deleted_run(removed.run))


def _show_deleted_run(run: RunRow) -> None:
    text = f"{local_time(run.created_at)}　{line(run.name, 60)}　{t('runs.n_conversations', n=f'{run.total:,}')}"
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(text, width="content")
        action_button(t("history.restore"), "undo", _restore, run, key=f"restore-{run.id}")
        label, icon = t("history.delete_permanently"), ":material/delete_forever:"
        with st.popover(label, icon=icon, key=f"delete-popover-{run.id}"):
            st.markdown(t("history.delete_warning"))
            st.button(label, key=f"delete-{run.id}", type="primary", on_click=_delete_permanently, args=(run,))


def _restore(run: RunRow) -> None:
    services().store.runs.restore(run.id)
    st.toast(t("common.restored", name=plain(run.name)), icon=":material/check:")


def _delete_permanently(run: RunRow) -> None:
    with show_errors():
        services().store.runs.delete(run.id)
        st.toast(t("history.deleted_permanently", name=plain(run.name)), icon=":material/check:")


def _show_selected_run(store: Store, run: RunRow, judge: str) -> None:
    """Show the run selected in the table, with its links and actions, and how far its judge can be trusted."""
    now = store.runs.progress(run.id)
    with st.container(border=True):
        key = f"name-{run.id}"
        if key not in st.session_state:
            st.session_state[key] = run.name
        st.text_input(t("history.name"), max_chars=200, key=key, on_change=_rename, args=(run, key))
        about = {"when": local_time(run.created_at), "id": line(run.id)}
        is_file = run.is_answer_file
        st.caption(t("history.about_file", **about) if is_file else t("history.about", seed=run.seed, **about))
        if judge:
            show_provenance(store, run, judge)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            scores_link(run.bot, run.id)
            page_link("results/transcripts", t("menu.transcripts"), "forum", bot=run.bot, run=run.id)
            show_resume_buttons(run, now, "chosen")
            action_button(t("history.remove"), "delete", _delete, run, key=f"remove-{run.id}")
        show_failed_conversations(store, run, now.failed)


def _rename(run: RunRow, key: str) -> None:
    """Save the new name; an empty field brings the old one back."""
    name = st.session_state[key].strip()
    if not name:
        st.session_state[key] = run.name
        return
    with show_errors():
        services().store.runs.rename(run.id, name)
        st.toast(t("history.renamed"), icon=":material/check:")


def show_run_history(store: Store, bot: str) -> None:
    """Show the finished runs of a bot, newest first, the selected one, and the deleted ones."""
    runs = [run for run in store.runs.all(bot) if run.status != "running"]
    deleted = list(store.runs.trashed(bot))
    _show_undo(deleted)
    if runs:
        scored = store.scores.judges_by_run(bot)
        judges = {run.id: _judges(run, scored.get(run.id, {})) for run in runs}
        found, judge = _filter_runs(runs, judges, bot)
        _show_runs(store, bot, found, judges, judge)
    else:
        st.caption(t("run.earlier_none"))
    _show_deleted_runs(deleted, bot)


def _judges(run: RunRow, scored: dict[str, str]) -> dict[str, str]:
    """{judge: main criterion} of planned judges and those that scored, the turn judge first ("": no score)."""
    judges_of_run = dict.fromkeys(run.plan.get("judges", ()), "") | scored
    return dict(sorted(judges_of_run.items(), key=lambda item: (item[0] != TURN_JUDGE, not item[1])))


def _filter_runs(runs: list[RunRow], judges: dict[str, dict[str, str]], bot: str) -> tuple[list[RunRow], str]:
    """The runs with all words in name or ID, with the status and the judge; that judge ("": any)."""
    if len(runs) < 2:
        return runs, ""
    left, middle, right = st.columns([2, 1, 1])
    text = left.text_input(t("history.find"), key=f"history-find-{bot}", icon=":material/search:")
    states = [state for state in get_args(RunStatus) if any(run.status == state for run in runs)]
    names = dict.fromkeys(name for run in runs for name in judges[run.id])
    by_status = {"": t("history.every_status"), **{state: t(f"status.{state}") for state in states}}
    by_judge = {"": t("history.every_judge"), **{name: judge_name(name, t) for name in names}}
    status = choose(t("history.status"), by_status, place=middle, key=f"history-status-{bot}")
    judge = choose(t("history.judge"), by_judge, place=right, key=f"history-judge-{bot}")
    found = [run for run in runs if status in ("", run.status) and (not judge or judge in judges[run.id])]
    words = text.casefold().split()
    return [run for run in found if all(word in f"{run.name} {run.id}".casefold() for word in words)], judge


def _show_runs(store: Store, bot: str, runs: list[RunRow], judges: dict[str, dict[str, str]], judge: str) -> None:
    """Show runs as a table with the score of `judge` (else of each run's first judge), and the selected run below."""
    if not runs:
        st.caption(t("history.no_match"))
        return
    shown, spent = runs[:MAX_ROWS], store.calls.spending_by("run_id")
    means = cache(lambda name, criterion: store.scores.mean_scores_by_run(name, criterion, bot))
    rows: list[dict[str, object]] = []
    for run in shown:
        name = judge or next(iter(judges[run.id]), "")
        criterion = judges[run.id].get(name, "")
        score = means(name, criterion).get(run.id) if criterion else None
        rows.append(_row(run, store.runs.progress(run.id), name, score, spent.get(run.id)))
    empty = [name for name in ("cost", "judge") if not any(row[name] for row in rows)]
    st.caption(t("run.open"))
    key = f"runs-{bot}-{hash(tuple(run.id for run in shown))}"
    table = pd.DataFrame(rows).drop(columns=empty)
    place = choose_row(table, key, column_config=_columns())
    if len(runs) > MAX_ROWS:
        st.caption(t("history.shown", n=MAX_ROWS, all=f"{len(runs):,}"))
    if place is not None:
        run = shown[place]
        _show_selected_run(store, run, judge or next(iter(judges[run.id]), ""))


def _row(run: RunRow, now: Progress, judge: str, score: float | None, spent: Spending | None) -> dict[str, object]:
    kind = t("history.file" if run.is_answer_file else "history.simulation")
    return {
        "started": local_time(run.created_at),
        "name": run.name,
        "score": percent(score),
        "judge": judge_name(judge, t) if judge else "",
        "status": t(f"status.{run.status}"),
        "conversations": f"{now.finished} / {now.total}",
        "cost": _spent_cell(spent),
        "kind": kind if run.plan.get("clarify", True) else t("clarification.without_label", label=kind),
    }


def _spent_cell(spent: Spending | None) -> str:
    """What a run cost; its tokens if no call has a price, empty if nothing was called."""
    if spent is None or not spent.calls:
        return ""
    if spent.known_cost is None:
        return t("estimate.tokens", n=f"{spent.tokens:,}")
    return money_text(spent.known_cost, prices().currency) + (" +" if spent.unpriced else "")


def _columns() -> dict[str, Any]:
    names = {
        "started": "run.started",
        "name": "history.name",
        "status": "history.status",
        "conversations": "run.conversations",
        "score": "scores.score",
        "judge": "history.judge",
        "cost": "runs.cost",
        "kind": "history.kind",
    }
    columns = {name: st.column_config.TextColumn(t(key)) for name, key in names.items()}
    return columns | {"name": st.column_config.TextColumn(t("history.name"), width=220)}
