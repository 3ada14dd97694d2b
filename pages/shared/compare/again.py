"""One click to the next run: the same cases with the bot as it is now, or with another seed; and judging both alike."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.run.again import drifted, other_seed, same_cases
from core.run.alike import how_of_run
from core.run.compared import Compared
from core.run.plan import Plan
from core.store.rows import RunRow
from core.store.store import Store
from pages.shared.draw import plain, told
from pages.shared.judging import judge_label, watch_judging
from pages.shared.price.cost import spent_line
from pages.shared.services import house
from pages.shared.session import engine
from pages.shared.words import say, sentence, stored


def run_again(store: Store, run: RunRow) -> None:
    """Two buttons; what a run costs is told where a model speaks."""
    st.subheader(say("compare.again"), anchor=False)
    try:
        same_cases(run)
        gone = drifted(store, run, engine())
    except BadInput as error:
        st.caption(plain(sentence(error)))
        return
    spent = store.spending(run.id)
    if spent.calls:
        st.caption(say("compare.again_cost", spent=spent_line(spent)))
    with st.container(horizontal=True, gap="small"):
        looks = {"on_click": _start, "args": (run, "cases"), "icon": ":material/replay:"}
        st.button(say("compare.again_cases"), key="again-cases", help=say("compare.again_cases_help"), **looks)
        looks |= {"args": (run, "seed"), "icon": ":material/casino:"}
        help_ = say("compare.again_seed_help")
        st.button(say("compare.again_seed"), key="again-seed", disabled=bool(gone), help=help_, **looks)
    if gone:
        st.caption(say("compare.drifted", names=plain(say("common.comma").join(map(_name, gone)), links=False)))


def _name(name: str) -> str:
    known = {"bot.toml": "changes.settings", "engine": "changes.engine", "models": "changes.models"}
    return say(known[name]) if name in known else name


def _start(run: RunRow, how: str) -> None:
    """Begin the run and make it B."""
    with told():
        fresh = house().batches.start(_plan(run, how), engine())
        for name in ("a_hand", "b_hand"):
            st.session_state.pop(name, None)
        st.query_params.update({"a": run.id, "b": fresh})


def _plan(run: RunRow, how: str) -> Plan:
    if how == "cases":
        return same_cases(run)
    taken = {each.seed for each in house().store.runs(run.bot)}
    return other_seed(run, taken)


def judge_alike(store: Store, found: Compared) -> None:
    """Judges that scored the runs in different versions are told, with one click to have both scored alike.

    Where no pair came to its end there is nothing that more verdicts could compare.
    """
    names = (*found.shared.differing, *found.shared.one_sided)
    if not names or found.comparison.pairs.empty:
        return
    shown = plain(say("common.comma").join(judge_label(name) for name in names), links=False)
    key = "compare.differing" if found.shared.differing else "compare.one_sided"
    st.warning(say(key, names=shown), icon=":material/gavel:")
    jobs = [house().judgings.get(run.id) for run in (found.a, found.b)]
    going = [job for job in jobs if job and not job.over.is_set()]
    for job in going:
        watch_judging(job, f"stop-{job.run_id}")
    for job in jobs:
        if job and job.over.is_set() and job.error:
            st.error(plain(stored(job.error)), icon=":material/error:")
    if not going:
        st.button(say("compare.judge_alike"), icon=":material/gavel:", on_click=_judge, args=(store, found, names))


def _judge(store: Store, found: Compared, names: tuple[str, ...]) -> None:
    """Let the judges score both runs, by the language and guidelines of A; verdicts of that version stay."""
    with told():
        how = how_of_run(store, found.a)
        for run in (found.a, found.b):
            house().judgings.again(run.id, names, how, engine())
