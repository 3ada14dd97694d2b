"""Is version B better than version A: the verdict, what changed, and which conversations got worse."""

from __future__ import annotations

import streamlit as st

from core.analysis.compare import difference_by
from core.base.types import TURN_JUDGE
from core.store.rows import RunRow
from pages.components.appearance import heading
from pages.components.links import simulate_link
from pages.components.provenance import show_provenance
from pages.components.run_picker import choose_bot_of_runs, take_bot_of_run
from pages.components.run_progress import watch_run
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.compare_changes import show_changes
from pages.results.compare_next_run import show_judge_both, show_rerun
from pages.results.compare_pairs import show_left_out, show_moved_pairs
from pages.results.compare_result import (
    draw_charts,
    show_figures,
    show_missing,
    show_noise,
    verdict_title,
)
from pages.results.compare_runs import (
    choose_criterion,
    choose_other_bots,
    choose_two_runs,
    comparison_of,
    noise_floor_of,
)

store = need_store()
take_bot_of_run(store, "a")
top, bot = choose_bot_of_runs(store)


def show_nothing_to_compare(runs: list[RunRow]) -> None:
    """Show how to get a first or second run."""
    heading(t("compare.heading"), t("compare.lead"), place=top)
    st.info(t("compare.need_two" if runs else "compare.need_runs"), icon=":material/info:")
    simulate_link(bot.id)
    if runs:
        show_rerun(store, runs[0])
        choose_other_bots()


def show_comparison(a: RunRow, b: RunRow) -> None:
    """Show everything about two finished runs, the verdict first."""
    compared = comparison_of(store, a, b)
    by = None if compared.scores.pairs.empty else choose_criterion(compared)
    main = difference_by(compared.scores, *by) if by else None
    heading(*verdict_title(compared, main), place=top)
    if main:
        show_figures(compared, main)
    for name, run in (("A", a), ("B", b)):
        show_provenance(store, run, main.judge if main else TURN_JUDGE, name=name)
    show_missing(compared, main)
    if main:
        show_noise(compared, main, noise_floor_of(store, a.bot, main.judge, main.criterion))
    show_judge_both(store, compared)
    show_changes(compared.changes, compared.scores)
    if main:
        draw_charts(compared, main)
        show_moved_pairs(store, compared, main.judge, main.criterion)
    show_left_out(compared)
    show_rerun(store, a)


runs = choose_two_runs(store, bot)
if runs is None:
    show_nothing_to_compare(store.runs.all(bot.id))
else:
    choose_other_bots()
    running = [run for run in runs if run.status == "running"]
    if running:
        heading(t("compare.waiting"), t("compare.lead"), place=top)
    for run in running:
        watch_run(store, run)
    if not running:
        show_comparison(*runs)
