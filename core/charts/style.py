"""The look that all charts share: colours told apart in grey too, layout, error bars, pass mark, click targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any, NamedTuple

import plotly.graph_objects as plotly
from plotly.graph_objects import Figure

from core.analysis.ablation import Ablation
from core.analysis.compare import Difference
from core.analysis.confidence_intervals import Interval
from core.analysis.formatting import percent, percent_range
from core.analysis.run_means import MeanScore
from core.base.means import is_below
from core.base.translate import Translate

go: Any = plotly  # Plotly comes without types: charts make and change figures through this name
INDIGO, PERSIMMON, BAMBOO, GREY = "#5470b8", "#d9733a", "#6f9f6b", "#8b9099"
WHISKER, INK, HALO = "#9a9ea6", "#30343b", "rgba(255,255,255,.75)"  # of intervals: on a page; on bars, dark in a halo
CELL_TEXT = "#20242c"
HIDDEN = {"marker": {"opacity": 0}}
BARE = {"showgrid": False, "zeroline": False, "title": None}  # an axis without lines
NOTES = {"mode": "text", "textposition": "middle right", "hoverinfo": "skip", "cliponaxis": False}  # beside marks
_NONE = float("nan")  # the length of an interval that there is not; `horizontal_bars` leaves it out


class Marks(NamedTuple):
    """What the colours of scores tell: at the pass mark or above, below it, below the alert mark."""

    pass_mark: float
    alert_mark: float

    def color(self, score: float) -> str:
        """Bamboo at the pass mark or above, persimmon below the alert mark, indigo between them."""
        if not is_below(score, self.pass_mark):
            return BAMBOO
        return PERSIMMON if is_below(score, self.alert_mark) else INDIGO


class Chart(NamedTuple):
    """A figure and its finding, a sentence that stands above it as text: the title of a Plotly figure does not wrap."""

    finding: str
    figure: Figure


def apply_style(figure: Any, finding: str, height: int, legend: bool = False, top: int = 34) -> Chart:
    """The chart of a figure in the look of all charts; `finding`: with names as `short_label` gives them."""
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": top, "b": 24},
        showlegend=legend,
        legend={"orientation": "h", "y": -0.3, "x": 0},
        bargap=0.35,
        hovermode="x unified" if legend else "closest",
    )
    figure.update_yaxes(automargin=True)
    return Chart(unescape(finding), figure)


def set_margins(chart: Chart, left: int, right: int = 22) -> Chart:
    """The chart with these margins in pixels: to find out how wide labels are, Plotly draws everything once more."""
    figure: Any = chart.figure
    figure.update_layout(margin={"l": left, "r": right, "b": 30})
    figure.update_xaxes(automargin=False)
    figure.update_yaxes(automargin=False)
    return chart


def empty_chart(t: Translate, key: str = "charts.empty") -> Chart:
    """What is drawn if nothing has been scored."""
    figure = go.Figure()
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return apply_style(figure, t(key), 104)


def interval_text(interval: Interval) -> str:
    """An interval in whole percent."""
    return percent_range(interval.low, interval.high)


def hover_text(score: MeanScore, t: Translate) -> str:
    """What a mark says when it is pointed at: mean, interval, of how many, how many turns are unscored."""
    known = score.interval
    interval = t("charts.interval", interval=interval_text(known)) if known else t("charts.too_few_scenarios")
    counts = t("charts.conversations", n=f"{score.n:,}"), t("charts.unscored", n=f"{score.unscored:,}")
    return "<br>".join((f"<b>{percent(score.mean)}</b>", interval, *counts))


def interval_bars(means: Sequence[MeanScore]) -> dict[str, Any]:
    """Plotly's error bars for means with intervals, quiet; None if there is no interval."""
    ends = [(score.interval.low, score.interval.high) if score.interval else (_NONE, _NONE) for score in means]
    return error_bars([score.mean for score in means], ends)


def colors_text(marks: Marks, t: Translate) -> dict[str, str]:
    """What each colour of scores says, by its name in English."""
    pass_mark, alert_mark = percent(marks.pass_mark), percent(marks.alert_mark)
    return {
        "green": t("charts.color_green", pass_mark=pass_mark),
        "blue": t("charts.color_blue", pass_mark=pass_mark, alert_mark=alert_mark),
        "orange": t("charts.color_orange", alert_mark=alert_mark),
    }


def faded(color: str) -> str:
    """A colour (#rrggbb) in half its strength, for what has no interval."""
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},.45)"


def error_bars(middles: Sequence[float], ends: Sequence[tuple[float, float]], **style: Any) -> dict[str, Any]:
    """Plotly's error bars around these middles, from end to end; none where the ends are NaN."""
    pairs = list(zip(middles, ends, strict=True))
    up = [max(high - middle, 0.0) for middle, (_, high) in pairs]  # in this order NaN stays
    down = [max(middle - low, 0.0) for middle, (low, _) in pairs]
    look = {"color": WHISKER, "thickness": 1.6, "width": 5, **style}
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, **look}


def interval_ends(of: Difference | Ablation) -> tuple[float, float]:
    """The ends of the interval; without one the difference itself."""
    middle = of.difference or 0.0
    return middle if of.low is None else of.low, middle if of.high is None else of.high


class Bars(NamedTuple):
    """Bars from top to bottom with a note beside each; hover: what each says when it is pointed at, if not its note."""

    names: Sequence[str]
    values: Sequence[float]
    colors: str | Sequence[str]
    notes: Sequence[str]
    hover: Sequence[str] = ()


def horizontal_bars(bars: Bars, notes_at: Sequence[float], whiskers: Mapping[str, Any] | None = None) -> Any:
    """The figure of bars; whiskers (`error_bars`) are dark with a light halo, visible on every colour and background."""
    names, values = list(bars.names), list(bars.values)
    bar = {"x": values, "y": names, "orientation": "h", "marker_color": bars.colors}
    hovers = {"customdata": list(bars.hover or bars.notes), "hovertemplate": "%{y}<br>%{customdata}<extra></extra>"}
    figure = go.Figure(go.Bar(**bar, **hovers))
    if whiskers:
        # only those with an interval: the browser draws the lone end of one without, which would look like an interval
        ends = zip(names, values, whiskers["array"], whiskers["arrayminus"], strict=True)
        shown = [(name, value, up, down) for name, value, up, down in ends if up == up and down == down]
        y, x, up, down = (list(column) for column in zip(*shown, strict=True)) if shown else ([], [], [], [])
        whiskers = {**whiskers, "array": up, "arrayminus": down}
        unseen = {"mode": "markers", **HIDDEN, "hoverinfo": "skip", "x": x, "y": y}
        for color, thickness in ((HALO, 4.0), (INK, 1.6)):
            figure.add_trace(go.Scatter(error_x={**whiskers, "color": color, "thickness": thickness}, **unseen))
    figure.add_trace(go.Scatter(x=list(notes_at), y=names, text=list(bars.notes), **NOTES))
    figure.update_yaxes(autorange="reversed", title=None)
    return figure


def add_pass_mark(figure: Any, pass_mark: float, t: Translate, level: bool = False) -> None:
    """A dashed line at the pass mark: upright with its name above it, or level with an entry in the legend."""
    name = t("charts.line", pass_mark=percent(pass_mark))
    line = {"line_dash": "dash", "line_color": GREY, "line_width": 1.5}
    if level:
        figure.add_hline(y=pass_mark, **line)
        dashes = {"color": GREY, "dash": "dash", "width": 1.5}
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", name=name, line=dashes))
    else:
        note = {"annotation_text": name, "annotation_font_color": GREY}
        figure.add_vline(x=pass_mark, annotation_position="top", **line, **note)


def click_targets(x: Sequence[Any], y: Sequence[Any], size: int, data: Sequence[Sequence[Any]], **hover: Any) -> Any:
    """Unseen marks above a heat map, which knows no clicks; `data` is what a click tells."""
    marker = {"symbol": "square", "size": size, "opacity": 0, "color": GREY}
    return go.Scatter(
        x=list(x), y=list(y), mode="markers", marker=marker, selected=HIDDEN, unselected=HIDDEN, customdata=data, **hover
    )  # fmt: skip
