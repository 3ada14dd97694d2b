"""The answer at the top of the results page: is the bot good enough, by how much, and how sure is that."""

from __future__ import annotations

import streamlit as st

from core.analysis.aggregate import MeanScore, RunSummary, pass_verdict
from core.analysis.incomplete import Incomplete, incomplete_of
from core.charts.style import interval_text
from core.charts.titles import incomplete_title
from pages.components.appearance import percent
from pages.components.judge_picker import judge_label
from pages.components.plain_text import plain
from pages.i18n.translate import t
from pages.results.scores_view import Shown


def finding(view: Shown, found: RunSummary, score: MeanScore | None) -> str:
    """The page's title: reached, not reached, or cannot tell yet; the mean alone where no line applies.

    Of a run that is not whole it tells how far it came, and no verdict.
    """
    if part := part_of_run(view):
        return incomplete_title(part, score.mean if score else None, t)
    if score is None:
        return t("scores.unscored")
    if view.less or found.judge != "turn":
        return t("scores.by_judge", judge=plain(judge_label(found.judge)), score=percent(score.mean))
    words = {"score": percent(score.mean), "line": percent(view.line)}
    return t(f"scores.{pass_verdict(score.interval, view.line)}", **words)


def part_of_run(view: Shown) -> Incomplete | None:
    """How far the run came, whatever the page is kept to; none where it is whole."""
    return view.look.found(("part", view.run.status), lambda: incomplete_of(view.run.status, view.look.talks["status"]))


def figures(view: Shown, found: RunSummary, score: MeanScore | None) -> None:
    """The numbers, each of how many, with the interval."""
    cells, all_of = st.columns(4), found.conversations
    sure = t("scores.interval", interval=interval_text(score.interval)) if score and score.interval else None
    cells[0].metric(
        t("scores.score"),
        percent(score.mean if score else None),
        sure or t("scores.no_interval"),
        delta_color="off",
        delta_arrow="off",
        border=True,
        height="stretch",
        help=t("scores.interval_help"),
    )
    rest = (
        ("scores.conversations", found.scored_conversations, all_of),
        ("scores.failed", found.failed, all_of),
        ("scores.unscored_turns", found.unscored, found.turns),
    )
    for cell, (name, n, whole) in zip(cells[1:], rest, strict=True):
        value = t("scores.n_of", n=f"{n:,}", all=f"{whole:,}")
        note, more = t(f"scores.note_{name.partition('.')[2]}"), None
        if name == "scores.failed" and found.unfinished_turns:
            note, more = (
                t("scores.unfinished_in_mean", n=f"{found.unfinished_turns:,}"),
                t("scores.mean_has_unfinished_help"),
            )
        cell.metric(
            t(name), value, note, delta_color="off", delta_arrow="off", border=True, height="stretch", help=more
        )
    if found.unfinished_turns:
        st.caption(t("scores.mean_has_unfinished", n=f"{found.unfinished_turns:,}", talks=f"{found.unfinished:,}"))
    st.caption(t("scores.agreement"))


def links(view: Shown) -> None:
    """What to do next with a run."""
    asked = {"bot": view.run.bot, "run": view.run.id}
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for name, icon in (("failures", "build"), ("compare", "difference"), ("clarification", "contact_support")):
            st.page_link(
                f"pages/results/{name}.py",
                label=t(f"scores.to_{name}"),
                icon=f":material/{icon}:",
                query_params=asked,
            )
