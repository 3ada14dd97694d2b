"""The answer: better, worse, or cannot tell; how sure, of how many, and what noise alone does."""

from __future__ import annotations

from html import unescape
from typing import Any

import streamlit as st
from plotly.graph_objects import Figure

from core.analysis.compare import Difference, differences, differences_within, scored_pairs
from core.analysis.compare_runs import NoiseFloor, RunComparison
from core.analysis.confidence_intervals import Interval, mean_interval
from core.charts.comparison import forest
from core.charts.formatting import points
from core.charts.style import interval_text
from pages.components.appearance import percent
from pages.components.plain_text import plain
from pages.i18n.translate import t
from pages.results.compare_runs import criterion_label


def headline(found: RunComparison, main: Difference | None) -> tuple[str, str]:
    """The page's title and the line below it; main: none where there is nothing to decide by."""
    whole = found.comparison
    counts = {"n": f"{whole.common:,}", "a": f"{whole.failed('a'):,}", "b": f"{whole.failed('b'):,}"}
    if not whole.common:
        return t("compare.no_pairs"), t("compare.no_common")
    if whole.pairs.empty:
        key = "title_failed" if whole.more_failed > 0 else "title_broken"
        return t(f"compare.{key}", **counts), t("compare.no_pairs_lead")
    if main is None:
        return t("compare.no_judge"), t("compare.lead")
    return title_of(found, main), how_sure(main)


def title_of(found: RunComparison, main: Difference) -> str:
    """The verdict in one sentence."""
    name = plain(criterion_label(main.judge, main.criterion), links=False)
    if main.difference is None:
        return t("compare.title_none", name=name)
    if found.noise:
        return t("compare.title_noise", name=name, value=points(main.difference))
    if main.low is None:
        return t("compare.title_few", name=name, value=points(main.difference))
    if main.low == main.high == 0:
        return t("compare.title_same", name=name)
    return t(f"compare.title_{main.verdict}", name=name, value=points(main.difference))


def how_sure(main: Difference) -> str:
    """Interval, number of pairs, and the smallest difference they could have shown; empty where nothing is scored."""
    of = t(
        "compare.of_clusters" if main.clustered else "compare.of", n=f"{main.pairs:,}", scenarios=f"{main.clusters:,}"
    )
    if main.low is None or main.high is None:
        return t("compare.too_few", of=of) if main.pairs else ""
    told = t("compare.sure", low=points(main.low), high=points(main.high), of=of)
    if main.detectable is None:
        told += t("compare.detectable_same" if main.low == main.high == 0 else "compare.detectable_alike")
    else:
        told += t("compare.detectable", value=f"{main.detectable * 100:.1f}")
    return told + (f" {t('compare.less')}" if main.lower else "")


def figures(found: RunComparison, main: Difference) -> None:
    """The means of both sides over the same pairs, the difference, and of how many."""
    cells = st.columns(4)
    both = scored_pairs(found.comparison, main.judge, main.criterion).dropna(subset=["difference"])
    for cell, side, mean in zip(cells, "ab", (main.mean_a, main.mean_b), strict=False):
        _mean(cell, side, mean, mean_interval(list(both[side]), list(both["scenario"])), main)
    shown = "–" if main.difference is None else points(main.difference)
    cells[2].metric(t("compare.difference"), shown, border=True, height="stretch")
    compared = t("scores.n_of", n=f"{main.pairs:,}", all=f"{found.comparison.common:,}")
    cells[3].metric(t("compare.pairs"), compared, border=True, height="stretch")


def missing(found: RunComparison, main: Difference | None) -> None:
    """What is in no mean: pairs without a score, and conversations that failed."""
    left = [t("compare.unscored", n=f"{main.unscored:,}")] if main and main.unscored else []
    if len(found.comparison.broken):
        left.append(t("compare.failed", a=found.comparison.failed("a"), b=found.comparison.failed("b")))
    if found.comparison.broken_turns:
        left.append(t("compare.unfinished_left_out", n=f"{found.comparison.broken_turns:,}"))
    if left:
        st.warning(" ".join(left), icon=":material/error:")


def _mean(cell: Any, side: str, mean: float | None, sure: Interval | None, main: Difference) -> None:
    """The mean of one side with its interval, of how many, and what is left out."""
    told = t("scores.interval", interval=interval_text(sure)) if sure else t("scores.no_interval")
    of = t("charts.mean_help", n=f"{main.pairs:,}", scenarios=f"{main.clusters:,}", unscored=f"{main.unscored:,}")
    quiet = {"delta_color": "off", "delta_arrow": "off", "border": True, "height": "stretch"}
    cell.metric(t(f"compare.mean_{side}"), percent(mean), told, help=of, **quiet)


def about_noise(found: RunComparison, main: Difference, floor: NoiseFloor | None) -> None:
    """What an A/A run says of this difference."""
    if found.noise:
        st.info(t("compare.noise" if found.seeds_differ else "compare.noise_same_seed"), icon=":material/info:")
    elif floor is None:
        st.caption(t("compare.floor_none"))
    elif main.difference is not None and floor.difference.low is not None and floor.difference.high is not None:
        beyond = abs(main.difference) > floor.reach
        told = {"low": points(floor.difference.low), "high": points(floor.difference.high), "n": floor.difference.pairs}
        st.caption(t("compare.floor_beyond" if beyond else "compare.floor_within", **told))


def charts(found: RunComparison, main: Difference) -> None:
    """Every criterion; then the decisive one by persona and by kind."""
    rows = [(criterion_label(one.judge, one.criterion), one) for one in differences(found.comparison)]
    plot(st, forest(rows, t, "criteria"), "criteria")
    parts = {"persona": "persona_name", "kind": "kind"}
    within = {
        name: differences_within(found.comparison, main.judge, main.criterion, column) for name, column in parts.items()
    }
    many = [(name, group) for name, group in within.items() if len(group) > 1]
    if many:
        st.caption(t("compare.parts", name=plain(criterion_label(main.judge, main.criterion), links=False)))
    for column, (name, group) in zip(st.columns(max(1, len(many)), gap="medium"), many, strict=False):
        named = [(t(f"kinds.{value}") if name == "kind" else value, one) for value, one in group.items()]
        plot(column, forest(named, t, name), name)


def plot(where: Any, figure: Figure, name: str) -> None:
    """One chart in a quiet frame under its finding."""
    finding = unescape(figure.layout.title.text)
    figure.update_layout(title_text="", margin_t=figure.layout.margin.t - 46, height=figure.layout.height - 46)
    with where.container(border=True):
        st.caption(t(f"compare.chart_{name}"))
        st.markdown(f"**{plain(finding, links=False)}**")
        st.plotly_chart(figure, config={"displayModeBar": False}, alt=finding, key=f"forest-{name}")
