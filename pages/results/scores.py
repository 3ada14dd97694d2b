"""Is the bot good enough, where is it weak, and which conversations show it."""

from __future__ import annotations

import streamlit as st

from core.analysis.formatting import percent
from core.analysis.names import judge_name
from core.analysis.provenance import provenance
from core.analysis.run_means import incomplete_of
from core.base.settings import settings
from core.base.types import TURN_JUDGE
from core.charts.style import Marks, interval_text
from core.charts.titles import run_title
from pages.components.appearance import heading, show_figure
from pages.components.links import page_link
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance
from pages.components.run_picker import choose_bot_of_runs, choose_run, stop_without_runs
from pages.components.services import need_store
from pages.i18n.translate import t
from pages.results.export_menu import show_export_menu
from pages.results.scores_judges import choose_judge_version, show_add_judges
from pages.results.scores_sections import draw_section
from pages.results.scores_view import RunView, choose_view, leave_out_invalid
from pages.results.simulator_health import show_simulator_health


def page_title(view: RunView) -> str:
    """The page's title: passed, not passed or undecided; how far a run got that is incomplete, whatever is filtered."""
    status, score = view.run.status, view.score
    tables = view.tables
    part = tables.cached(("incomplete", status), lambda: incomplete_of(status, tables.conversations["status"]))
    pass_mark = None if view.lower_is_better or view.judge != TURN_JUDGE else view.pass_mark
    return run_title(part, score, plain(judge_name(view.judge, t)), pass_mark, t)


def show_figures(view: RunView) -> None:
    """The mean with its interval, and how many conversations were scored, failed, or have turns without a score."""
    columns, summary, score = st.columns(4), view.summary, view.score
    interval = score.interval if score else None
    note = t("scores.interval", interval=interval_text(interval)) if interval else t("scores.no_interval")
    mean = percent(score.mean if score else None)
    show_figure(columns[0], t("scores.score"), mean, note, t("scores.interval_help"))
    counts = {
        "conversations": (summary.scored_conversations, summary.conversations),
        "failed": (summary.failed, summary.conversations),
        "unscored_turns": (summary.unscored, summary.turns),
    }
    for column, (name, (n, total)) in zip(columns[1:], counts.items(), strict=True):
        note, help_text = t(f"scores.note_{name}"), None
        if name == "failed" and summary.unfinished_turns:
            note = t("scores.unfinished_in_mean", n=f"{summary.unfinished_turns:,}")
            help_text = t("scores.mean_has_unfinished_help")
        show_figure(column, t(f"scores.{name}"), t("scores.n_of", n=f"{n:,}", all=f"{total:,}"), note, help_text)
    if summary.unfinished_turns:
        unfinished = {"n": f"{summary.unfinished_turns:,}", "conversations": f"{summary.unfinished:,}"}
        st.caption(t("scores.mean_has_unfinished", **unfinished))
    version = dict(view.versions).get(view.judge, "")
    show_provenance(view.store, view.run, view.judge, version)
    origin, is_own_bot = provenance(view.store, view.run, view.judge, version), not view.bot.external
    if view.judge == TURN_JUDGE and origin.judged == "embedded" and is_own_bot and not view.run.is_answer_file:
        st.caption(t("scores.own_probabilities"))


def show_links(view: RunView) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for name, icon in (("failures", "build"), ("compare", "difference"), ("clarification", "contact_support")):
            page_link(f"results/{name}", t(f"scores.to_{name}"), icon, bot=view.run.bot, run=view.run.id)
        show_export_menu(view.run)


store = need_store()
top, bot = choose_bot_of_runs(store)
runs = store.runs.all(bot.id)
stop_without_runs(runs, top, bot, t("menu.scores"), "scores.no_runs")
run = choose_run(store, runs)
marks = Marks(settings().pass_mark, settings().alert_mark)
view = leave_out_invalid(choose_view(store, run, bot, marks))
heading(page_title(view), place=top)
counts = {"scored": f"{view.summary.scored_conversations:,}", "all": f"{view.summary.conversations:,}"}
st.caption(t("scores.of" if view.judge == TURN_JUDGE else "scores.of_judge", **counts))
choose_judge_version(run.id, view.tables.versions, view.judge)
if run.status != "done":
    icon = "progress_activity" if run.status == "running" else "stop_circle"
    st.info(t("incomplete.note"), icon=f":material/{icon}:")
show_figures(view)
show_links(view)
draw_section(view)
show_simulator_health(view)
if run.status != "running":
    show_add_judges(run, bot)
