"""A comparison on the page: the verdict with its figures, its charts, and how much is noise."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.compare import Difference, differences, differences_within, scored_pairs
from core.analysis.compare_runs import RunComparison
from core.analysis.confidence_intervals import Interval, mean_interval
from core.analysis.formatting import percent, points
from core.charts.comparison import forest
from core.charts.style import interval_text
from pages.components.appearance import show_figure
from pages.components.chart import draw_chart
from pages.components.plain_text import plain
from pages.i18n.translate import t
from pages.results.compare_runs import criterion_label


def verdict_title(runs: RunComparison, main: Difference | None) -> tuple[str, str]:
    """The page's title and the line below it. main: the difference that decides; none if nothing is scored."""
    pairs = runs.scores
    counts = {"n": f"{pairs.common:,}", "a": f"{pairs.failed('a'):,}", "b": f"{pairs.failed('b'):,}"}
    if not pairs.common:
        return t("compare.no_pairs"), t("compare.no_common")
    if pairs.pairs.empty:
        key = "title_failed" if pairs.more_failed > 0 else "title_broken"
        return t(f"compare.{key}", **counts), t("compare.no_pairs_lead")
    if main is None:
        return t("compare.no_judge"), t("compare.lead")
    return _verdict(runs, main), _interval_note(main)


def _verdict(runs: RunComparison, main: Difference) -> str:
    """The verdict in one sentence."""
    name = plain(criterion_label(main.judge, main.criterion), links=False)
    if main.difference is None:
        return t("compare.title_none", name=name)
    if runs.is_noise:
        return t("compare.title_noise", name=name, value=points(main.difference))
    if main.low is None:
        return t("compare.title_few", name=name, value=points(main.difference))
    if main.low == main.high == 0:
        return t("compare.title_same", name=name)
    return t(f"compare.title_{main.verdict}", name=name, value=points(main.difference))


def _interval_note(main: Difference) -> str:
    """Interval, number of pairs, and the smallest difference they could have detected; "" if nothing is scored."""
    of = t(
        "compare.of_clusters" if main.clustered else "compare.of", n=f"{main.pairs:,}", scenarios=f"{main.clusters:,}"
    )
    if main.low is None or main.high is None:
        return t("compare.too_few", of=of) if main.pairs else ""
    text = t("compare.interval", low=points(main.low), high=points(main.high), of=of)
    if main.detectable is None:
        text += t("compare.detectable_same" if main.low == main.high == 0 else "compare.detectable_alike")
    else:
        text += t("compare.detectable", value=f"{main.detectable * 100:.1f}")
    return text + (f" {t('compare.lower_is_better')}" if main.lower_is_better else "")


def show_figures(runs: RunComparison, main: Difference) -> None:
    """Show the means of both runs over the same pairs, the difference, and the number of pairs."""
    columns = st.columns(4)
    pairs = scored_pairs(runs.scores, main.judge, main.criterion).dropna(subset=["difference"])
    for column, side, mean in zip(columns, "ab", (main.mean_a, main.mean_b), strict=False):
        _show_mean(column, side, mean, mean_interval(list(pairs[side]), list(pairs["scenario"])), main)
    difference = "–" if main.difference is None else points(main.difference)
    show_figure(columns[2], t("compare.difference"), difference)
    compared = t("scores.n_of", n=f"{main.pairs:,}", all=f"{runs.scores.common:,}")
    show_figure(columns[3], t("compare.pairs"), compared)


def _show_mean(
    place: DeltaGenerator, side: str, mean: float | None, interval: Interval | None, main: Difference
) -> None:
    note = t("scores.interval", interval=interval_text(interval)) if interval else t("scores.no_interval")
    counts = {"n": f"{main.pairs:,}", "scenarios": f"{main.clusters:,}", "unscored": f"{main.unscored:,}"}
    show_figure(place, t(f"compare.mean_{side}"), percent(mean), note, t("charts.mean_help", **counts))


def show_missing(runs: RunComparison, main: Difference | None) -> None:
    """Warn about pairs without a score and conversations that failed, which are in no mean."""
    notes = [t("compare.unscored", n=f"{main.unscored:,}")] if main and main.unscored else []
    if len(runs.scores.broken):
        notes.append(t("compare.failed", a=runs.scores.failed("a"), b=runs.scores.failed("b")))
    if runs.scores.broken_turns:
        notes.append(t("compare.unfinished_left_out", n=f"{runs.scores.broken_turns:,}"))
    if notes:
        st.warning(" ".join(notes), icon=":material/error:")


def show_noise(runs: RunComparison, main: Difference, floor: Difference | None) -> None:
    """Say whether the difference is larger than that of an A/A run."""
    if runs.is_noise:
        st.info(t("compare.noise" if runs.seeds_differ else "compare.noise_same_seed"), icon=":material/info:")
    elif floor is None:
        st.caption(t("compare.floor_none"))
    elif main.difference is not None and floor.low is not None and floor.high is not None:
        is_beyond = abs(main.difference) > max(abs(floor.low), abs(floor.high))
        details = {"low": points(floor.low), "high": points(floor.high), "n": floor.pairs}
        st.caption(t("compare.floor_beyond" if is_beyond else "compare.floor_within", **details))


def draw_charts(runs: RunComparison, main: Difference) -> None:
    """Draw the difference of every criterion, then of the deciding one by persona and by kind."""
    rows = [
        (criterion_label(difference.judge, difference.criterion), difference) for difference in differences(runs.scores)
    ]
    _draw_forest(st, rows, "criteria")
    groups = {
        name: differences_within(runs.scores, main.judge, main.criterion, column)
        for name, column in {"persona": "persona_name", "kind": "kind"}.items()
    }
    groups = {name: group for name, group in groups.items() if len(group) > 1}
    if not groups:
        return
    st.caption(t("compare.parts", name=plain(criterion_label(main.judge, main.criterion), links=False)))
    for column, (name, group) in zip(st.columns(len(groups), gap="medium"), groups.items(), strict=True):
        rows = [(t(f"kinds.{value}") if name == "kind" else value, difference) for value, difference in group.items()]
        _draw_forest(column, rows, name)


def _draw_forest(place: Any, rows: list[tuple[str, Difference]], name: str) -> None:
    draw_chart(place, forest(rows, t, name), t(f"compare.chart_{name}"), name)
