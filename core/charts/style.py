"""How all charts look: colours told apart in grey too, bars with intervals and the pass mark, one dress."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import plotly.graph_objects as plotly

from core.analysis.aggregate import MeanScore
from core.analysis.confidence_intervals import Interval
from core.charts.formatting import label_width, percent, shorten

Translate = Callable[..., str]
go: Any = plotly
NONE = float("nan")  # a length that Plotly does not draw, not even as a dash
INDIGO, PERSIMMON, BAMBOO, GREY = "#5470b8", "#d9733a", "#6f9f6b", "#8b9099"
WHISKER, INK, HALO = "#9a9ea6", "#30343b", "rgba(255,255,255,.75)"  # of intervals: on a page; on bars, dark in a halo
EDGE = 1.03  # where bars of 100 % end and the notes beside them begin
LADDER = [[0.0, "#f2a873"], [0.45, "#cfcbc4"], [1.0, "#4a66b0"]]  # light to dark, so that it reads in grey too


def criterion_name(name: str, t: Translate) -> str:
    """A criterion as the page calls it; one of the owner's own goes by its name."""
    try:
        return t(f"criteria.{name}")
    except KeyError:
        return shorten(name)


def interval_text(interval: Interval | None) -> str:
    """An interval in whole percent, as one reads it; empty where there is none."""
    return "" if interval is None else f"{interval.low * 100:.0f}–{percent(interval.high)}"


def hover_text(one: MeanScore, t: Translate) -> str:
    """What a mark says when it is pointed at: mean, interval, of how many, how many turns are unscored."""
    sure = t("charts.interval", interval=interval_text(one.interval)) if one.interval else t("charts.too_few_scenarios")
    parts = [f"<b>{percent(one.mean)}</b>", sure, t("charts.conversations", n=f"{one.n:,}")]
    return "<br>".join([*parts, t("charts.unscored", n=f"{one.unscored:,}")])


def error_bars(found: Sequence[MeanScore], color: str = WHISKER, thickness: float = 1.6) -> dict[str, Any]:
    """Plotly's error bars for means with intervals, quiet; none where there is no interval."""
    up = [max(0.0, one.interval.high - one.mean) if one.interval else NONE for one in found]
    down = [max(0.0, one.mean - one.interval.low) if one.interval else NONE for one in found]
    return spread(up, down, color, thickness)


def spread(up: Sequence[float], down: Sequence[float], color: str = WHISKER, thickness: float = 1.6) -> dict[str, Any]:
    """Plotly's error bars of such lengths."""
    looks = {"color": color, "thickness": thickness, "width": 5}
    return {"type": "data", "symmetric": False, "array": list(up), "arrayminus": list(down), **looks}


def on_bars(ends: Sequence[float], names: Sequence[str], up: Sequence[float], down: Sequence[float]) -> list[Any]:
    """Error bars across the ends of lying bars, dark in a light halo: seen on every colour, on paper and at night."""
    unseen = {"mode": "markers", "marker": {"opacity": 0}, "hoverinfo": "skip", "x": list(ends), "y": list(names)}
    return [go.Scatter(error_x=spread(up, down, *look), **unseen) for look in ((HALO, 4.0), (INK, 1.6))]


def bars(
    names: Sequence[str],
    found: Sequence[MeanScore],
    title: str,
    line: float | None,
    t: Translate,
    grey: Sequence[bool] = (),
) -> plotly.Figure:
    """Lying bars: green at the pass mark or beyond, indigo below, the lowest in persimmon; grey has no line.

    Without a line (less is better, the worst stands first) only the worst differs in colour.
    """
    values = [one.mean for one in found]
    quiet = list(grey) or [False] * len(values)
    lowest = min((value for value, off in zip(values, quiet, strict=True) if not off), default=0.0)
    shown = [shorten(name, 18) for name in names]
    colors = [GREY if off else _color(value, line, lowest) for value, off in zip(values, quiet, strict=True)]
    if line is None:
        colors = [PERSIMMON if value == max(values) > min(values) else INDIGO for value in values]
    hover = {
        "customdata": [hover_text(one, t) for one in found],
        "hovertemplate": "%{y}<br>%{customdata}<extra></extra>",
    }
    bar = {"x": values, "y": shown, "orientation": "h", "marker_color": colors}
    figure, lengths = go.Figure(go.Bar(**bar, **hover)), error_bars(found)
    figure.add_traces(on_bars(values, shown, lengths["array"], lengths["arrayminus"]))
    notes = [_note(one, t) for one in found]
    beside = {"mode": "text", "textposition": "middle right", "hoverinfo": "skip", "cliponaxis": False}
    figure.add_trace(go.Scatter(x=[EDGE] * len(shown), y=shown, text=notes, **beside))
    if line is not None:
        add_pass_mark(figure, line, t)
    figure.update_xaxes(range=[0, EDGE], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", title=None)
    figure.update_yaxes(autorange="reversed", title=None)
    return set_margins(apply_style(figure, title, 130 + 42 * len(values)), label_width(shown) + 14, _room_of(notes))


def _note(one: MeanScore, t: Translate) -> str:
    """Beside a bar: the mean of how many, and beneath it the interval (or that there is none) with what is unscored."""
    below = [interval_text(one.interval) if one.interval else t("charts.no_interval")]
    below += [t("charts.unscored_short", n=f"{one.unscored:,}")] if one.unscored else []
    quiet = "<span style='opacity:.7'>"
    first = f"<b>{percent(one.mean)}</b>  {quiet}{t('charts.n', n=f'{one.n:,}')}</span>"
    return f"{first}<br><span style='opacity:.7;font-size:.8em'>{' · '.join(below)}</span>"


def _room_of(notes: Sequence[str]) -> int:
    """The pixels beside the bars that the notes take, the small second line as it is."""
    lines = [(line, small) for note in notes for small, line in enumerate(note.split("<br>"))]
    sizes = [label_width([re.sub(r"<[^>]*>", "", line)]) * (0.8 if small else 1.08) for line, small in lines]
    return round(max(sizes, default=0)) + 12


def _color(value: float, line: float | None, lowest: float) -> str:
    if line is not None and value >= line - 1e-9:
        return BAMBOO
    return PERSIMMON if value == lowest else INDIGO


def add_pass_mark(figure: Any, line: float, t: Translate) -> None:
    """A dashed upright line with its name above it where a score is good enough."""
    where: dict[str, Any] = {"line_dash": "dash", "line_color": GREY, "line_width": 1.5}
    note: dict[str, Any] = {"annotation_text": t("charts.line", line=percent(line)), "annotation_font_color": GREY}
    figure.add_vline(x=line, annotation_position="top", **where, **note)


def pass_mark_level(figure: Any, line: float, t: Translate) -> None:
    """The pass mark in a chart whose scores go upwards, with an entry in its legend."""
    looks = {"color": GREY, "dash": "dash", "width": 1.5}
    figure.add_hline(y=line, line_dash="dash", line_color=GREY, line_width=1.5)
    name = t("charts.line", line=percent(line))
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", name=name, line=looks))


def apply_style(figure: Any, title: str, height: int, legend: bool = False, top: int = 70) -> plotly.Figure:
    """The one dress of all charts: the finding on top, little else."""
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


def set_margins(figure: Any, left: int, right: int = 22) -> plotly.Figure:
    """The same with its margins told: to find out how wide labels are, Plotly draws everything once more."""
    figure.update_layout(margin={"l": left, "r": right, "b": 30})
    figure.update_xaxes(automargin=False)
    figure.update_yaxes(automargin=False)
    return figure


def empty_figure(t: Translate, key: str = "charts.empty") -> plotly.Figure:
    """What is drawn where nothing has been scored."""
    figure = go.Figure()
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return apply_style(figure, t(key), 140)
