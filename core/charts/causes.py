"""The bar of causes: how many points each lost, of how many turns."""

from __future__ import annotations

from collections.abc import Mapping

from core.analysis.failures.causes import NOT_A_STAGE, Cause
from core.analysis.failures.entries import PointsLost, heaviest_causes
from core.base.translate import Translate
from core.charts.style import GREY, INDIGO, PERSIMMON, Chart, apply_style, empty_chart, go

NAME_OFFSET = 0.42  # of the room of a bar: where its name stands


def causes_bar(losses: Mapping[Cause, PointsLost], t: Translate) -> Chart:
    """Horizontal bars of lost points, the heaviest stage (or several that lost the same) in persimmon, what is no stage in grey.

    The names and numbers of turns stand above the bars, not beside them, so that nothing is cut off on a telephone.
    """
    if not losses:
        return empty_chart(t)
    names = {cause: t(f"failures.cause_{cause}") for cause in losses}
    lost, rows = [loss.points for loss in losses.values()], list(range(len(losses)))
    worst = heaviest_causes(losses)
    colors = [PERSIMMON if cause in worst else GREY if cause in NOT_A_STAGE else INDIGO for cause in losses]
    labels = [
        f"{names[cause]}　{t('failures.bar', lost=f'<b>{loss.points:.1f}</b>', n=loss.n)}"
        for cause, loss in losses.items()
    ]
    bar = {"x": lost, "y": rows, "orientation": "h", "marker_color": colors, "width": 0.4}
    hover = {"customdata": list(names.values()), "hovertemplate": "%{customdata}: %{x:.1f}<extra></extra>"}
    figure = go.Figure(go.Bar(**bar, **hover))
    above = {"x": [0] * len(rows), "y": [row - NAME_OFFSET for row in rows]}
    figure.add_trace(go.Scatter(**above, text=labels, mode="text", textposition="middle right", hoverinfo="skip"))
    figure.update_xaxes(range=[0, max(lost) * 1.02], visible=False)
    figure.update_yaxes(range=[len(rows) - 0.6, -0.8], visible=False)
    figure.update_traces(cliponaxis=False)
    chart = apply_style(figure, "", 32 + 52 * len(rows), top=0)
    figure.update_layout(margin_b=0)
    return chart
