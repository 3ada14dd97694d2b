"""The bar of causes: how many points each lost, of how many turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as plotly

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import Loss
from core.charts.style import GREY, INDIGO, PERSIMMON, Translate, apply_style, empty_figure

go: Any = plotly
ABOVE = 0.42  # of the room of a bar: where its name stands
ASIDE = ("unclear", "unknown", "simulator")  # no stage of the bot: drawn in grey


def causes_bar(found: Mapping[Cause, Loss], t: Translate) -> plotly.Figure:
    """Lying bars of lost points, the heaviest clear cause in persimmon; above each its name and number of turns.

    The names stand above the bars, not beside them, so that nothing is cut off on a telephone.
    """
    if not found:
        return empty_figure(t)
    names = [t(f"failures.cause_{cause}") for cause in found]
    lost, rows = [one.lost for one in found.values()], list(range(len(found)))
    worst = next((cause for cause in found if cause not in ASIDE), None)
    colors = [PERSIMMON if cause == worst else GREY if cause in ASIDE else INDIGO for cause in found]
    notes = [t("failures.bar", lost=f"<b>{one.lost:.1f}</b>", n=one.n) for one in found.values()]
    bar = {"x": lost, "y": rows, "orientation": "h", "marker_color": colors, "width": 0.4}
    figure = go.Figure(go.Bar(**bar, customdata=names, hovertemplate="%{customdata}: %{x:.1f}<extra></extra>"))
    told = [f"{name}　{note}" for name, note in zip(names, notes, strict=True)]
    above = {"x": [0] * len(rows), "y": [row - ABOVE for row in rows]}
    figure.add_trace(go.Scatter(**above, text=told, mode="text", textposition="middle right", hoverinfo="skip"))
    figure.update_xaxes(range=[0, max(lost) * 1.02], visible=False)
    figure.update_yaxes(range=[len(rows) - 0.6, -0.8], visible=False)
    figure.update_traces(cliponaxis=False)
    apply_style(figure, "", 32 + 52 * len(names), top=0)
    figure.update_layout(margin_b=0)
    return figure
