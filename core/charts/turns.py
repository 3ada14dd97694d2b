"""How scores change within conversations: each criterion turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from core.analysis import run_means
from core.analysis.formatting import percent
from core.analysis.names import criterion_name
from core.analysis.run_means import JudgeScores, MeanScore, turn_scores
from core.base.translate import Translate
from core.charts.style import (
    BAMBOO,
    GREY,
    INDIGO,
    PERSIMMON,
    Chart,
    add_pass_mark,
    apply_style,
    empty_chart,
    go,
    hover_text,
    interval_bars,
)
from core.charts.titles import EQUAL_UP_TO, MIN_CONVERSATIONS
from core.judges.turn.verdict import CRITERIA

COLORS = ("#7f8fc4", "#b7794e", PERSIMMON, BAMBOO, GREY, INDIGO)  # of the turn judge's CRITERIA, in order
SYMBOLS = ("diamond", "square", "triangle-up", "circle", "x", "circle")


def turn_lines(judged: JudgeScores, pass_mark: float, t: Translate) -> Chart:
    """Mean of each criterion, turn by turn; the main criterion is drawn bold and with intervals."""
    frame, judge, criteria, main = judged.frame, judged.judge, judged.criteria, judged.main_criterion
    scored = frame[(frame["judge"] == judge) & frame["value"].notna()]
    if scored.empty:
        return empty_chart(t)
    figure = go.Figure()
    for place, name in enumerate(criteria):
        if means := run_means.by_turn(frame, name, judge):
            figure.add_trace(_line(name, place, means, t, name == main or len(criteria) == 1))
    add_pass_mark(figure, pass_mark, t, level=True)
    counts = scored.groupby("turn", observed=True)["conversation"].nunique()
    figure.update_yaxes(range=[0, 1.08], tickformat=".0%", title=None)
    ticks = [f"{t('charts.turn', n=turn)}<br>{t('charts.n', n=f'{int(n):,}')}" for turn, n in counts.items()]
    figure.update_xaxes(tickmode="array", tickvals=list(counts.index), ticktext=ticks, title=None)
    return apply_style(figure, _title(turn_scores(frame, main, judge), t), 344, legend=True)


def _line(name: str, place: int, means: Sequence[MeanScore], t: Translate, strong: bool) -> Any:
    style = CRITERIA.index(name) if name in CRITERIA else place % len(COLORS)
    return go.Scatter(
        x=[int(score.name) for score in means],
        y=[score.mean for score in means],
        name=criterion_name(name, t),
        mode="lines+markers",
        opacity=1 if strong else 0.75,
        line={"width": 4 if strong else 1.6, "color": COLORS[style], "dash": "solid" if strong else "dot"},
        marker={"size": 9 if strong else 6, "symbol": SYMBOLS[style]},
        error_y=interval_bars(means) if strong else None,
        customdata=[hover_text(score, t).replace("<br>", " · ") for score in means],
        hovertemplate="%{customdata}",
    )


def _title(scores: pd.DataFrame, t: Translate) -> str:
    """First against last turn of the same conversations: those that went so far (harder ones go further)."""
    scored = scores.dropna(subset=["score"])
    table = scored.pivot_table(index="conversation", columns="turn", values="score", aggfunc="mean", observed=True)
    pairs = {int(turn): table[[1, turn]].dropna() for turn in table.columns if 1 in table and int(turn) != 1}
    if not pairs:
        return t("charts.turn_title_short")
    turn = max((turn for turn, rows in pairs.items() if len(rows) >= MIN_CONVERSATIONS), default=min(pairs))
    rows = pairs[turn]
    if rows.empty:
        return t("charts.turn_title_short")
    if len(rows) < MIN_CONVERSATIONS:
        return t("charts.turn_few", turn=turn, n=len(rows))
    first, last, n = float(rows[1].mean()), float(rows[turn].mean()), f"{len(rows):,}"
    if abs(last - first) < EQUAL_UP_TO:
        return t("charts.turn_title_same", turn=turn, n=n)
    key = "charts.turn_title_rises" if last > first else "charts.turn_title_falls"
    return t(key, turn=turn, n=n, first=percent(first), last=percent(last))
