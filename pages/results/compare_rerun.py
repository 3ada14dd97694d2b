"""One click to the next run: the same cases with the bot as it is now, or with another seed; and judging both alike."""

from __future__ import annotations

import streamlit as st

from core.analysis.compare_runs import RunComparison
from core.base.errors import BadInput
from core.runs.judging import how_of_run
from core.runs.plan import Plan
from core.runs.rerun import changed_since, noise_plan, rerun_plan
from core.store.records import RunRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.cost import spent_line
from pages.components.judge_picker import judge_label, watch_judging
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine
from pages.i18n.translate import error_text, t


def run_again(store: Store, run: RunRow) -> None:
    """Two buttons; what a run costs is told where a model speaks."""
    st.subheader(t("compare.next_run"), anchor=False)
    try:
        rerun_plan(run)
        gone = changed_since(store, run, engine())
    except BadInput as error:
        st.caption(plain(error_text(error)))
        return
    spent = store.spending(run.id)
    if spent.calls:
        st.caption(t("compare.rerun_cost", spent=spent_line(spent)))
    with st.container(horizontal=True, gap="small"):
        looks = {"on_click": _start, "args": (run, "cases"), "icon": ":material/replay:"}
        st.button(t("compare.rerun_cases"), key="again-cases", help=t("compare.rerun_cases_help"), **looks)
        looks |= {"args": (run, "seed"), "icon": ":material/casino:"}
        help_ = t("compare.rerun_seed_help")
        st.button(t("compare.rerun_seed"), key="again-seed", disabled=bool(gone), help=help_, **looks)
    if gone:
        st.caption(t("compare.drifted", names=plain(t("common.comma").join(map(_name, gone)), links=False)))


def _name(name: str) -> str:
    known = {"bot.toml": "changes.settings", "engine": "changes.engine", "models": "changes.models"}
    return t(known[name]) if name in known else name


def _start(run: RunRow, how: str) -> None:
    """Begin the run and make it B."""
    with show_errors():
        fresh = services().batches.start(_plan(run, how), engine())
        for name in ("a_hand", "b_hand"):
            st.session_state.pop(name, None)
        st.query_params.update({"a": run.id, "b": fresh})


def _plan(run: RunRow, how: str) -> Plan:
    if how == "cases":
        return rerun_plan(run)
    taken = {each.seed for each in services().store.runs(run.bot)}
    return noise_plan(run, taken)


def judge_alike(store: Store, found: RunComparison) -> None:
    """Judges that scored the runs in different versions are told, with one click to have both scored alike.

    Where no pair came to its end there is nothing that more verdicts could compare.
    """
    names = (*found.shared.differing, *found.shared.one_sided)
    if not names or found.comparison.pairs.empty:
        return
    shown = plain(t("common.comma").join(judge_label(name) for name in names), links=False)
    key = "compare.differing" if found.shared.differing else "compare.one_sided"
    st.warning(t(key, names=shown), icon=":material/gavel:")
    jobs = [services().judgings.get(run.id) for run in (found.a, found.b)]
    going = [job for job in jobs if job and job.running]
    for job in going:
        watch_judging(job, f"stop-{job.run_id}")
    for job in jobs:
        if job and job.error:
            st.error(plain(error_text(job.error)), icon=":material/error:")
    if not going:
        st.button(t("compare.judge_alike"), icon=":material/gavel:", on_click=_judge, args=(store, found, names))


def _judge(store: Store, found: RunComparison, names: tuple[str, ...]) -> None:
    """Let the judges score both runs, by the language and guidelines of A; verdicts of that version stay."""
    with show_errors():
        how = how_of_run(store, found.a)
        for run in (found.a, found.b):
            services().judgings.rejudge(run.id, names, how, engine())
