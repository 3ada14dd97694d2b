"""The bar of causes: how many points each lost, of how many turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as plotly

from core.report.causes import Cause
from core.report.fix_list import Sum
from core.report.looks import GREY, INDIGO, PERSIMMON, Say, dressed, empty

go: Any = plotly
ASIDE = ("unclear", "unknown", "simulator")  # no stage of the bot: drawn in grey


def causes_bar(found: Mapping[Cause, Sum], say: Say) -> plotly.Figure:
    """Lying bars of lost points, the heaviest clear cause in persimmon; each with its number of turns."""
    if not found:
        return empty(say)
    names = [say(f"fix.cause_{cause}") for cause in found]
    lost = [one.lost for one in found.values()]
    worst = next((cause for cause in found if cause not in ASIDE), None)
    colors = [PERSIMMON if cause == worst else GREY if cause in ASIDE else INDIGO for cause in found]
    notes = [say("fix.bar", lost=f"<b>{one.lost:.1f}</b>", n=one.n) for one in found.values()]
    figure = go.Figure(
        go.Bar(x=lost, y=names, orientation="h", marker_color=colors, hovertemplate="%{y}: %{x:.1f}<extra></extra>")
    )
    figure.add_trace(
        go.Scatter(
            x=lost,
            y=names,
            text=[f"  {note}" for note in notes],
            mode="text",
            textposition="middle right",
            hoverinfo="skip",
        )
    )
    figure.update_xaxes(range=[0, max(lost) * 1.9], visible=False)
    figure.update_yaxes(autorange="reversed", title=None)
    return dressed(figure, "", 60 + 38 * len(names), top=8)
