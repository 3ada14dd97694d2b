"""How all charts look: colours told apart in grey too, bars with the finish line, one dress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as plotly

from core.report.labels import percent, short

Say = Callable[..., str]
Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
INDIGO, PERSIMMON, BAMBOO, GREY = "#5470b8", "#d9733a", "#6f9f6b", "#8b9099"


def criterion_name(name: str, say: Say) -> str:
    """A criterion as the page calls it; one of the owner's own goes by its name."""
    try:
        return say(f"criteria.{name}")
    except KeyError:
        return short(name)


def bars(
    names: Sequence[str], means: Table, title: str, line: float | None, say: Say, grey: Sequence[bool] = ()
) -> plotly.Figure:
    """Lying bars: green at the finish line or beyond, indigo below, the lowest in persimmon; grey has no line.

    Without a line (less is better, the worst stands first) only the worst differs in colour.
    """
    values = [float(value) for value in means["mean"]]
    quiet = list(grey) or [False] * len(values)
    lowest = min((value for value, off in zip(values, quiet, strict=True) if not off), default=0.0)
    shown = [short(name, 18) for name in names]
    notes = [
        f"<b>{percent(v)}</b>  <span style='opacity:.7'>{say('charts.n', n=int(n))}</span>" for v, n in _pairs(means)
    ]
    colors = [GREY if off else _color(value, line, lowest) for value, off in zip(values, quiet, strict=True)]
    if line is None:
        colors = [PERSIMMON if value == max(values) > min(values) else INDIGO for value in values]
    hover = "%{y}: %{x:.0%}<extra></extra>"
    figure = go.Figure(go.Bar(x=values, y=shown, orientation="h", marker_color=colors, hovertemplate=hover))
    figure.add_trace(
        go.Scatter(
            x=[1.04] * len(shown), y=shown, text=notes, mode="text", textposition="middle right", hoverinfo="skip"
        )
    )
    if line is not None:
        finish_line(figure, line, say)
    figure.update_xaxes(range=[0, 1.5], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", title=None)
    figure.update_yaxes(autorange="reversed", title=None)
    return dressed(figure, title, 130 + 38 * len(values))


def _pairs(means: Table) -> list[tuple[float, int]]:
    return [(float(value), int(count)) for value, count in zip(means["mean"], means["count"], strict=True)]


def _color(value: float, line: float | None, lowest: float) -> str:
    if line is not None and value >= line - 1e-9:
        return BAMBOO
    return PERSIMMON if value == lowest else INDIGO


def finish_line(figure: Any, line: float, say: Say) -> None:
    """A dashed upright line with its name above it where a score is good enough."""
    where: dict[str, Any] = {"line_dash": "dash", "line_color": GREY, "line_width": 1.5}
    note: dict[str, Any] = {"annotation_text": say("charts.line", line=percent(line)), "annotation_font_color": GREY}
    figure.add_vline(x=line, annotation_position="top", **where, **note)


def dressed(figure: Any, title: str, height: int, legend: bool = False, top: int = 70) -> plotly.Figure:
    place = {"x": 0, "xanchor": "left", "y": 1, "yanchor": "top", "yref": "container", "pad": {"t": 6}}
    figure.update_layout(
        title={"text": title, "font": {"size": 16}, **place},
        height=height,
        margin={"l": 8, "r": 8, "t": top, "b": 24},
        showlegend=legend,
        legend={"orientation": "h", "y": -0.3, "x": 0},
        bargap=0.35,
        hovermode="x unified" if legend else "closest",
    )
    figure.update_yaxes(automargin=True)
    return figure


def empty(say: Say) -> plotly.Figure:
    """What is drawn where nothing has been scored."""
    figure = go.Figure()
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return dressed(figure, say("charts.empty"), 140)
