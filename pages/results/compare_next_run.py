"""What to do next after a comparison: the same cases run once more, or both runs judged alike."""

from __future__ import annotations

import streamlit as st

from core.analysis.compare_runs import RunComparison
from core.analysis.names import judge_name
from core.base.errors import BadInput
from core.runs.judging.jobs import JudgingRequest
from core.runs.judging.judge_options import judge_options_of_run
from core.runs.rerun import changed_since, noise_plan, rerun_plan
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.cost import spending_text
from pages.components.judge_picker import show_judging
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine
from pages.components.url_choice import forget_choice
from pages.i18n.translate import error_text, t


def show_rerun(store: Store, run: RunRow) -> None:
    """Buttons that run the same cases once more, with the bot as it is now or with another seed."""
    st.subheader(t("compare.next_run"), anchor=False)
    try:
        rerun_plan(run)
        changed = changed_since(store, run, engine())
    except BadInput as error:
        st.caption(plain(error_text(error)))
        return
    spent = store.calls.spending(run.id)
    if spent.calls:
        st.caption(t("compare.rerun_cost", spent=spending_text(spent)))
    with st.container(horizontal=True, gap="small"):
        st.button(
            t("compare.rerun_cases"),
            key="rerun-cases",
            help=t("compare.rerun_cases_help"),
            icon=":material/replay:",
            on_click=_start,
            args=(run, False),
        )
        st.button(
            t("compare.rerun_seed"),
            key="rerun-seed",
            help=t("compare.rerun_seed_help"),
            icon=":material/casino:",
            disabled=bool(changed),
            on_click=_start,
            args=(run, True),
        )
    if changed:
        keys = {"bot.toml": "changes.settings", "engine": "changes.engine", "models": "changes.models"}
        names = [t(keys[name]) if name in keys else name for name in changed]
        st.caption(t("compare.drifted", names=plain(t("common.comma").join(names), links=False)))


def _start(run: RunRow, other_seed: bool) -> None:
    """Start the run and compare it as B."""
    with show_errors():
        seeds = {other.seed for other in services().store.runs.all(run.bot)}
        plan = noise_plan(run, seeds) if other_seed else rerun_plan(run)
        started = services().runner.start(plan, engine())
        forget_choice("a", "b")
        st.query_params.update({"a": run.id, "b": started})


def show_judge_both(store: Store, runs: RunComparison) -> None:
    """Warn about judges that scored the runs in different versions, with a button that judges both runs alike."""
    names = (*runs.shared.differing, *runs.shared.one_sided)
    if not names or runs.scores.pairs.empty:  # without pairs there is nothing to compare
        return
    labels = plain(t("common.comma").join(judge_name(name, t) for name in names), links=False)
    key = "compare.differing" if runs.shared.differing else "compare.one_sided"
    st.warning(t(key, names=labels), icon=":material/gavel:")
    under_way = [show_judging(run.id, "compare") for run in (runs.a, runs.b)]
    if not any(under_way):
        label = t("compare.judge_alike")
        st.button(label, icon=":material/gavel:", on_click=_judge_both, args=(store, runs, names))


def _judge_both(store: Store, runs: RunComparison, names: tuple[str, ...]) -> None:
    """Let the judges score both runs with the language and guidelines of A; scores of that version stay."""
    with show_errors():
        options = dict(judge_options_of_run(store, runs.a))
        for run in (runs.a, runs.b):
            services().judgings.rejudge(run.id, JudgingRequest(names, options, engine()))
