"""Is version B better than version A: the verdict, what changed, and which conversations got worse."""

from __future__ import annotations

import streamlit as st

from core.analysis.compare import difference_by
from core.store.rows import RunRow
from pages.components.appearance import heading
from pages.components.run_picker import choose_bot_of_runs
from pages.components.run_progress import watch_run
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.compare_changes import what_changed
from pages.results.compare_pairs import left_out, movements
from pages.results.compare_rerun import judge_alike, run_again
from pages.results.compare_runs import bot_of_link, comparison, decisive, floor_of, other_bots, two_runs
from pages.results.compare_verdict import about_noise, charts, figures, headline, missing

store = need_store()
bot_of_link(store)
top, bot = choose_bot_of_runs(store)


def one_run(runs: list[RunRow]) -> None:
    """Nothing to compare yet: the way to a first or second run."""
    heading(t("compare.heading"), t("compare.lead"), place=top)
    st.info(t("compare.need_two" if runs else "compare.need_runs"), icon=":material/info:")
    asked = {"bot": bot.id}
    st.page_link("pages/simulate/run.py", label=t("scores.to_batch"), icon=":material/play_circle:", query_params=asked)
    if runs:
        run_again(store, runs[0])
        other_bots()


def page() -> None:
    """From the choice of two runs to what is left out of their comparison."""
    two = two_runs(store, bot)
    if two is None:
        one_run(store.runs.all(bot.id))
        return
    a, b = two
    other_bots()
    going = [run for run in two if run.status == "running"]
    if going:
        heading(t("compare.waiting"), t("compare.lead"), place=top)
        for run in going:
            watch_run(store, run)
        return
    found = comparison(store, a, b)
    by = None if found.comparison.pairs.empty else decisive(found)
    main = difference_by(found.comparison, *by) if by else None
    heading(*headline(found, main), place=top)
    if by is not None and main is not None:
        figures(found, main)
    missing(found, main)
    if by is not None and main is not None:
        about_noise(found, main, floor_of(store, a.bot, *by))
    judge_alike(store, found)
    what_changed(found.changes, found.comparison)
    if by is not None and main is not None:
        charts(found, main)
        movements(store, found, *by)
    left_out(found)
    run_again(store, a)


page()
