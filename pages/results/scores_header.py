"""The top of the scores page: whether the bot passes, the numbers, and links to the next step."""

from __future__ import annotations

import streamlit as st

from core.analysis.aggregate import Incomplete, incomplete_of, pass_verdict
from core.analysis.names import judge_name
from core.charts.style import interval_text
from core.charts.titles import incomplete_title
from core.store.headline import JUDGE
from pages.components.appearance import percent, show_figure
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance
from pages.components.services import services
from pages.i18n.translate import t
from pages.results.scores_view import RunView


def score_title(view: RunView) -> str:
    """The page's title: passed, not passed or undecided; the mean alone for other judges than the turn judge.

    The title of an incomplete run says how far the run got, and gives no verdict.
    """
    score = view.score
    if incomplete := _incomplete(view):
        return incomplete_title(incomplete, score.mean if score else None, t)
    if score is None:
        return t("scores.unscored")
    if view.lower_is_better or view.judge != JUDGE:
        return t("scores.by_judge", judge=plain(judge_name(view.judge, t)), score=percent(score.mean))
    verdict = pass_verdict(score.interval, view.pass_mark)
    return t(f"scores.{verdict}", score=percent(score.mean), line=percent(view.pass_mark))


def _incomplete(view: RunView) -> Incomplete | None:
    """How far the whole run got, whatever is filtered; none if it is complete."""
    return view.tables.cached(
        ("incomplete", view.run.status), lambda: incomplete_of(view.run.status, view.tables.conversations["status"])
    )


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
    show_provenance(services().store, view.run, view.judge, version)


def show_links(view: RunView) -> None:
    """Links from the scores to what to fix, the comparison and the clarifying questions of the run."""
    query = {"bot": view.run.bot, "run": view.run.id}
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for name, icon in (("failures", "build"), ("compare", "difference"), ("clarification", "contact_support")):
            label = t(f"scores.to_{name}")
            st.page_link(f"pages/results/{name}.py", label=label, icon=f":material/{icon}:", query_params=query)
