"""What conversations took: questions back, seconds by stage, money by role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median, quantiles
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.base.calls import Spending
from core.charts.formatting import percent, shorten
from core.charts.style import INDIGO, PERSIMMON, Translate, apply_style, empty_figure, on_bars

Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
STAGES = ("clarify", "rewrite", "retrieve", "answer")
MOST = 5  # questions back that have a bar of their own


def questions_asked(turns: pd.DataFrame, t: Translate) -> plotly.Figure:
    """How many conversations were asked back how often.

    turns: one row per turn (conversation, decision). Conversations of which no decision is known (a file, an outside
    bot) are left out and told.
    """
    table: Table = turns
    known = table[table["decision"] != ""]
    asked = (known["decision"] == "ask").groupby(known["conversation"], observed=True).sum()
    unknown = int(table["conversation"].nunique()) - len(asked)
    if asked.empty:
        return empty_figure(t, "charts.asked_unknown")
    counts = [int((asked == n).sum()) for n in range(MOST)] + [int((asked >= MOST).sum())]
    counts = counts[: max(place for place, count in enumerate(counts) if count) + 1]
    words = [t("charts.asked_n" if n < MOST else "charts.asked_more", n=n) for n in range(len(counts))]
    shares = [count / len(asked) for count in counts]
    notes = [f"<b>{percent(share)}</b>  {t('charts.n', n=f'{count:,}')}" for share, count in _pairs(shares, counts)]
    figure = go.Figure(_lying(words, shares, notes, INDIGO))
    figure.update_xaxes(range=[0, max(shares) * 1.5], tickformat=".0%", title=None)
    figure.update_yaxes(autorange="reversed", title=None)
    title = t("charts.asked_title", share=percent(1 - shares[0]), mean=f"{asked.mean():.1f}", n=f"{len(asked):,}")
    if unknown:
        title += f"  ({t('charts.asked_without', n=f'{unknown:,}')})"
    return apply_style(figure, title, 130 + 38 * len(counts))


def seconds_by_stage(stages: Sequence[Mapping[str, float]], t: Translate) -> plotly.Figure:
    """Median seconds that a turn spends in each stage; the whisker holds the middle half of the turns.

    stages: one {stage: seconds} per turn that was looked at; a stage that a turn did not have is not counted.
    """
    found = {name: sorted(turn[name] for turn in stages if name in turn) for name in STAGES}
    found = {name: values for name, values in found.items() if len(values) > 1}
    if not found:
        return empty_figure(t, "charts.seconds_none")
    middles = [median(values) for values in found.values()]
    ends = [(q[0], q[2]) for values in found.values() for q in [quantiles(values, n=4, method="inclusive")]]
    words = [t(f"charts.stage_{name}") for name in found]
    longest = middles.index(max(middles))
    notes = [
        f"<b>{t('common.seconds', seconds=_short(value))}</b>  {t('charts.turns', n=f'{len(values):,}')}"
        for value, values in _pairs(middles, list(found.values()))
    ]
    color = [PERSIMMON if place == longest else INDIGO for place in range(len(middles))]
    figure = go.Figure(_lying(words, middles, notes, color, [high for _, high in ends]))
    up = [high - middle for middle, (_, high) in _pairs(middles, ends)]
    down = [middle - low for middle, (low, _) in _pairs(middles, ends)]
    figure.add_traces(on_bars(middles, words, up, down))
    figure.update_xaxes(range=[0, max(high for _, high in ends) * 1.6 or 1], title=None, ticksuffix=t("charts.second"))
    figure.update_yaxes(autorange="reversed", title=None)
    title = t("charts.seconds_title", stage=words[longest], seconds=_short(middles[longest]))
    return apply_style(figure, title, 130 + 38 * len(middles))


def cost_by_role(
    spent: Mapping[str, Spending], talks: int, money: Callable[[float], str], t: Translate
) -> plotly.Figure:
    """What each role's calls to a model cost per conversation, the dearest first; calls without a price are told.

    talks: conversations that the calls were made for; money: an amount in words.
    """
    priced = {role: one for role, one in spent.items() if one.calls > one.unpriced}
    if not priced or not talks:
        return empty_figure(t, "charts.cost_none")
    order = sorted(priced, key=lambda role: -priced[role].cost)
    each = [priced[role].cost / talks for role in order]
    words = [t(f"models.role_{role}") for role in order]
    notes = [
        f"<b>{shorten(money(value))}</b>  {t('charts.calls', n=f'{priced[role].calls:,}')}"
        for role, value in _pairs(order, each)
    ]
    figure = go.Figure(_lying(words, each, notes, INDIGO))
    figure.update_xaxes(range=[0, max(each) * 2.1 or 1], title=None, showticklabels=False)
    figure.update_yaxes(autorange="reversed", title=None)
    whole = sum(one.cost for one in priced.values())
    title = t("charts.cost_title", each=shorten(money(whole / talks)), all=shorten(money(whole)), n=f"{talks:,}")
    missing = sum(one.unpriced for one in spent.values())
    if missing:
        title += f"  ({t('charts.cost_unpriced', n=f'{missing:,}')})"
    return apply_style(figure, title, 130 + 38 * len(order))


def _lying(
    words: Sequence[str],
    values: Sequence[float],
    notes: Sequence[str],
    color: object,
    ends: Sequence[float] = (),
) -> list[Any]:
    """Lying bars, with a note beyond the end of each (or of its whisker)."""
    hover = {"customdata": list(notes), "hovertemplate": "%{y}<br>%{customdata}<extra></extra>"}
    bar = go.Bar(x=list(values), y=list(words), orientation="h", marker_color=color, **hover)
    furthest = [max(value, end) for value, end in _pairs(values, list(ends) or list(values))]
    room = max(furthest, default=0) * 0.03
    beside = {"mode": "text", "textposition": "middle right", "hoverinfo": "skip"}
    return [bar, go.Scatter(x=[end + room for end in furthest], y=list(words), text=list(notes), **beside)]


def _pairs(left: Sequence[Any], right: Sequence[Any]) -> list[tuple[Any, Any]]:
    return list(zip(left, right, strict=True))


def _short(seconds: float) -> str:
    return f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"
