"""Bars of a run's scores by criterion, persona and kind, and how its conversations' scores are distributed.

Each chart states its finding. Frames are `score_values` (or `score_frame`) of the store: rows without a
value enter no mean, and every mark says of how many, with a 95 % interval over scenarios and the unscored turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.analysis import run_means
from core.analysis.formatting import percent, short_label
from core.analysis.names import criterion_name
from core.analysis.run_means import JudgeScores, MeanScore, conversation_scores
from core.base.means import ROUNDING
from core.base.translate import Translate
from core.charts.label_text import label_width
from core.charts.style import (
    GREY,
    Bars,
    Chart,
    Marks,
    add_pass_mark,
    apply_style,
    empty_chart,
    faded,
    go,
    horizontal_bars,
    hover_text,
    interval_bars,
    interval_text,
    set_margins,
)
from core.charts.titles import about_equal, range_title, worst_of

NOTES_FROM = 1.03  # where bars of 100 % end and the notes beside them begin


class Bar(NamedTuple):
    """A mean with its name in words, and the colour that it is drawn in."""

    name: str
    score: MeanScore
    color: str


def criterion_bars(judged: JudgeScores, marks: Marks, t: Translate) -> Chart:
    """Mean of each criterion over conversations, in the colours of `Marks`, paler without an interval.

    Those of which lower is better are drawn in grey, since the pass mark says nothing of them.
    """
    means = [score for score in run_means.by_criterion(judged.frame, judged.judge).values() if score]
    lower = judged.lower_criteria
    if not means:
        return empty_chart(t)
    colors = [_color(score, None if score.name in lower else marks) for score in means]
    names = [criterion_name(score.name, t) for score in means]
    return _draw_bars(list(map(Bar, names, means, colors)), _criteria_title(means, lower, t), marks.pass_mark, t)


def by_group(judged: JudgeScores, column: str, marks: Marks, t: Translate) -> Chart:
    """Mean of the conversations' scores for each persona (`persona_name`) or `kind`, the worst first."""
    lower_is_better = judged.lower_is_better
    means = run_means.by_column(judged.frame, column, judged.judge, lower_is_better)
    if not means:
        return empty_chart(t)
    names = [t(f"kinds.{score.name}") if column == "kind" else score.name for score in means]
    colors = [_color(score, None if lower_is_better else marks) for score in means]
    title = _worst_title(column.removesuffix("_name"), names, means, lower_is_better, t)
    return _draw_bars(list(map(Bar, names, means, colors)), title, None if lower_is_better else marks.pass_mark, t)


def distribution(judged: JudgeScores, marks: Marks, t: Translate) -> Chart:
    """How many conversations have which score."""
    pass_mark, lower_is_better = marks.pass_mark, judged.lower_is_better
    of_conversations = conversation_scores(judged.frame, judged.main_criterion, judged.judge)
    scores = of_conversations["score"].dropna().to_numpy(np.float64)
    if not len(scores):
        return empty_chart(t)
    lows = _steps([] if lower_is_better else marks)
    steps = list(zip(lows, [*lows[1:], 1.0], strict=True))
    edges = [*lows, np.inf]
    counts = np.histogram(scores + ROUNDING, edges)[0]
    widths = [max(high - low, 0.02) for low, high in steps]
    n = t("charts.n", n=f"{len(scores):,}")
    figure = go.Figure(
        go.Bar(
            x=[low + width / 2 for low, width in zip(lows, widths, strict=True)],
            y=counts.tolist(),
            marker_color=[GREY if lower_is_better else marks.color(low) for low in lows],
            width=[width * 0.88 for width in widths],
            customdata=[
                t("charts.step_last" if step == steps[-1] else "charts.step", low=f"{step[0] * 100:g}", high=f"{step[1] * 100:g}")
                for step in steps
            ],
            hovertemplate=f"%{{customdata}}<br>%{{y}} / {n}<extra></extra>",
        )
    )  # fmt: skip
    if not lower_is_better:
        add_pass_mark(figure, pass_mark, t)
    figure.update_xaxes(range=[0, 1.03], tickformat=".0%", title=None)
    whole = {"dtick": 1} if counts.max() <= 6 else {}
    figure.update_yaxes(title=t("charts.count"), rangemode="tozero", tickformat=",d", **whole)
    if lower_is_better:
        title = t("charts.spread_lower", score=percent(scores.mean()), n=n)
    else:
        title = t("charts.spread_title", share=percent((scores >= pass_mark - ROUNDING).mean()), n=n)
    return set_margins(apply_style(figure, title, 284), label_width([f"{counts.max():,}"]) + 38)


def _draw_bars(bars: Sequence[Bar], title: str, pass_mark: float | None, t: Translate) -> Chart:
    """A bar for each mean with its interval, its notes beside it."""
    shown, means = [short_label(bar.name, 18) for bar in bars], [bar.score for bar in bars]
    notes, hover = [_note(score, t) for score in means], [hover_text(score, t) for score in means]
    drawn = Bars(shown, [score.mean for score in means], [bar.color for bar in bars], notes, hover)
    figure = horizontal_bars(drawn, [NOTES_FROM] * len(means), interval_bars(means))
    if pass_mark is not None:
        add_pass_mark(figure, pass_mark, t)
    figure.update_xaxes(
        range=[0, NOTES_FROM], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", tickangle=0, title=None
    )
    return set_margins(apply_style(figure, title, 94 + 42 * len(means)), label_width(shown) + 14, _notes_width(notes))


def _color(score: MeanScore, marks: Marks | None) -> str:
    """The colour of a mean (grey without marks), paler if there is no interval: it may well lie elsewhere."""
    color = marks.color(score.mean) if marks else GREY
    return color if score.interval else faded(color)


def _note(score: MeanScore, t: Translate) -> str:
    """Beside a bar: the mean of how many, and beneath it the interval (or that there is none) with what is unscored."""
    below = [interval_text(score.interval) if score.interval else t("charts.no_interval")]
    below += [t("charts.unscored_short", n=f"{score.unscored:,}")] if score.unscored else []
    first = f"<b>{percent(score.mean)}</b>  <span style='opacity:.7'>{t('charts.n', n=f'{score.n:,}')}</span>"
    return f"{first}<br><span style='opacity:.7;font-size:.8em'>{' · '.join(below)}</span>"


def _notes_width(notes: Sequence[str]) -> int:
    """The pixels beside the bars that the notes take, the small second line as it is."""
    lines = [(line, small) for note in notes for small, line in enumerate(note.split("<br>"))]
    sizes = [label_width([re.sub(r"<[^<>]*>", "", line)]) * (0.8 if small else 1.08) for line, small in lines]
    return round(max(sizes, default=0)) + 12


def _steps(marks: Sequence[float]) -> list[float]:
    """Where the bars begin: twenty steps, each without its upper end but the last; a mark parts one if it must."""
    lows = [step / 20 for step in range(20)]
    for mark in marks:
        if all(abs(low - mark) > ROUNDING for low in lows):
            lows = sorted([*lows, mark])
    return lows


def _criteria_title(means: Sequence[MeanScore], lower_criteria: frozenset[str], t: Translate) -> str:
    """The weakest criterion, if one may be named."""
    higher = [score for score in means if score.name not in lower_criteria]
    if not higher:
        return t("charts.criteria_lower", score=percent(means[0].mean))
    if len(means) == 1:
        return t("charts.criteria_one", score=percent(higher[0].mean))
    named = [score for score in higher if score.name != "overall"] or higher
    if about_equal(named):
        return t("charts.criteria_same", score=percent(run_means.mean_of_means(higher)))
    at = worst_of(named)
    if at is None:
        return range_title(named, t)
    return t("charts.criteria_title", name=criterion_name(named[at].name, t), score=percent(named[at].mean))


def _worst_title(
    what: str, names: Sequence[str], means: Sequence[MeanScore], lower_is_better: bool, t: Translate
) -> str:
    """Who or what does worst, if one may be named."""
    if about_equal(means):
        return t(f"charts.{what}_same", score=percent(run_means.mean_of_means(means)))
    at = worst_of(means, lower_is_better)
    if at is None:
        return range_title(means, t, lower_is_better)
    return t(f"charts.{what}_title", name=short_label(names[at], 18), score=percent(means[at].mean))
