"""Is version B better than A: the verdict, what changed, which conversations got worse, and what to run next."""

from __future__ import annotations

import streamlit as st

from core.analysis.compare import difference_by
from core.analysis.compare_runs import RunComparison
from core.analysis.names import judge_names
from core.base.errors import BadInput
from core.base.types import TURN_JUDGE
from core.runs.judging.jobs import JudgingRequest
from core.runs.judging.judge_options import judge_options_of_run
from core.runs.rerun import changed_since, noise_plan, rerun_plan
from core.store.rows import RunRow
from pages.components.appearance import heading
from pages.components.cost import spending_text
from pages.components.judge_picker import show_judging_job
from pages.components.links import simulate_link
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance_of_each
from pages.components.run_picker import choose_bot_of_runs, take_bot_of_run
from pages.components.run_progress import watch_run
from pages.components.services import need_store, services
from pages.components.session import engine
from pages.components.url_choice import forget_choice
from pages.components.widgets import action_button
from pages.i18n.translate import error_text, t
from pages.results.compare_picker import (
    choose_criterion,
    choose_other_bots,
    choose_two_runs,
    comparison_of,
    noise_floor_of,
)
from pages.results.compare_result import (
    draw_charts,
    show_changes,
    show_figures,
    show_left_out,
    show_missing,
    show_moved_pairs,
    show_noise,
    verdict_title,
)

store = need_store()
take_bot_of_run(store, "a")
top, bot = choose_bot_of_runs(store)


def show_nothing_to_compare(runs: list[RunRow]) -> None:
    heading(t("compare.heading"), t("compare.lead"), place=top)
    st.info(t("compare.need_two" if runs else "compare.need_runs"), icon=":material/info:")
    simulate_link(bot.id)
    if runs:
        show_rerun(runs[0])
        choose_other_bots()


def show_comparison(a: RunRow, b: RunRow) -> None:
    compared = comparison_of(store, a, b)
    by = None if compared.scores.pairs.empty else choose_criterion(compared)
    main = difference_by(compared.scores, *by) if by else None
    heading(*verdict_title(compared, main), place=top)
    if main:
        show_figures(compared, main)
    show_provenance_of_each(store, {"A": a, "B": b}, main.judge if main else TURN_JUDGE)
    show_missing(compared, main)
    if main:
        show_noise(compared, main, noise_floor_of(store, a.bot, main.judge, main.criterion))
    show_judge_both(compared)
    show_changes(compared.changes, compared.scores)
    if main:
        draw_charts(compared, main)
        show_moved_pairs(store, compared, main.judge, main.criterion)
    show_left_out(compared)
    show_rerun(a)


def show_rerun(run: RunRow) -> None:
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
        label, text = t("compare.rerun_cases"), t("compare.rerun_cases_help")
        action_button(label, "replay", _start, run, False, key="rerun-cases", help=text)
        label, text = t("compare.rerun_seed"), t("compare.rerun_seed_help")
        action_button(label, "casino", _start, run, True, key="rerun-seed", help=text, disabled=bool(changed))
    if changed:
        keys = {"bot.toml": "changes.settings", "engine": "changes.engine", "models": "changes.models"}
        names = [t(keys[name]) if name in keys else name for name in changed]
        st.caption(t("compare.drifted", names=plain(t("common.comma").join(names), links=False)))


def _start(run: RunRow, other_seed: bool) -> None:
    """Start the run and compare it as B."""
    seeds = {other.seed for other in store.runs.all(run.bot)}
    plan = noise_plan(run, seeds) if other_seed else rerun_plan(run)
    started = services().runner.start(plan, engine())
    forget_choice("a", "b")
    st.query_params.update({"a": run.id, "b": started})


def show_judge_both(runs: RunComparison) -> None:
    """Warn about judges that scored the runs in different versions, with a button that judges both runs alike."""
    names = (*runs.shared.differing, *runs.shared.one_sided)
    if not names or runs.scores.pairs.empty:  # without pairs there is nothing to compare
        return
    labels = plain(judge_names(names, t), links=False)
    key = "compare.differing" if runs.shared.differing else "compare.one_sided"
    st.warning(t(key, names=labels), icon=":material/gavel:")
    jobs = [show_judging_job(run.id, "compare") for run in (runs.a, runs.b)]
    if not any(jobs):
        label = t("compare.judge_alike")
        action_button(label, "gavel", _judge_both, runs, names)


def _judge_both(runs: RunComparison, names: tuple[str, ...]) -> None:
    """Let the judges score both runs with the language and guidelines of A; scores of that version stay."""
    options = dict(judge_options_of_run(store, runs.a))
    for run in (runs.a, runs.b):
        services().judging_jobs.rejudge(run.id, JudgingRequest(names, options, engine()))


runs = choose_two_runs(store, bot)
if runs is None:
    show_nothing_to_compare(store.runs.all(bot.id))
else:
    choose_other_bots()
    if running := [run for run in runs if run.status == "running"]:
        heading(t("compare.waiting"), t("compare.lead"), place=top)
        for run in running:
            watch_run(store, run)
    else:
        show_comparison(*runs)
