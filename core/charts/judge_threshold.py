"""What a threshold on a judge's score costs: misses and false alarms."""

from __future__ import annotations

from collections.abc import Sequence

from core.agreement.thresholds import ThresholdCost
from core.analysis.formatting import percent
from core.base.translate import Translate
from core.charts.style import BAMBOO, GREY, INDIGO, PERSIMMON, Chart, apply_style, go

SAME_THRESHOLD_UP_TO = 0.01  # two thresholds nearer than this are one mark


def threshold_costs(costs: Sequence[ThresholdCost], current: float, fitted: float, t: Translate) -> Chart:
    """Misses, false alarms and kappa by threshold, with the current and the best one marked."""
    x = [cost.threshold for cost in costs]
    figure = go.Figure()
    lines = (
        ("misses", [cost.misses for cost in costs], PERSIMMON, "solid"),
        ("false_alarms", [cost.false_alarms for cost in costs], INDIGO, "dash"),
        ("kappa", [max(cost.kappa, 0.0) for cost in costs], BAMBOO, "dot"),
    )
    for name, values, color, dash in lines:
        line = {"color": color, "dash": dash, "width": 2, "shape": "hv"}
        figure.add_trace(go.Scatter(x=x, y=values, mode="lines", name=t(f"agreement_chart.{name}"), line=line))
    is_same = abs(current - fitted) < SAME_THRESHOLD_UP_TO
    for value, name in ((fitted, "fitted"),) if is_same else ((current, "current"), (fitted, "fitted")):
        figure.add_vline(
            x=value, line_dash="dash", line_color=GREY, line_width=1.5,
            annotation_text=t(f"agreement_chart.{name}"), annotation_font_color=GREY,
            annotation_position="top left" if name == "current" else "top right",
        )  # fmt: skip
    figure.update_yaxes(range=[0, 1.02], tickformat=".0%")
    nearest = min(costs, key=lambda cost: abs(cost.threshold - fitted))
    words = {"value": f"{fitted:.2f}", "misses": percent(nearest.misses), "alarms": percent(nearest.false_alarms)}
    return apply_style(figure, t("agreement_chart.title", **words), 294, legend=True)
