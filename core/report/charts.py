"""Charts of a run: each states its finding in its title and takes its words from `say`, so that it speaks any language.

Frames are `score_frame` of the store: one row per score; rows without a value are left out, and every mark says of how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.report.labels import percent, short, two_lines
from core.report.summary import conversation_scores, mean_score

Say = Callable[..., str]
Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
INDIGO, PERSIMMON, BAMBOO, GREY = "#5470b8", "#d9733a", "#6f9f6b", "#8b9099"
LADDER = [[0.0, "#f2a873"], [0.45, "#cfcbc4"], [1.0, "#4a66b0"]]  # light to dark, so that it reads in grey too
CRITERIA: tuple[str, ...] = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
LINES: dict[str, str] = dict(zip(CRITERIA, ("#7f8fc4", "#b7794e", PERSIMMON, BAMBOO, GREY, INDIGO), strict=True))
MARKS: dict[str, str] = dict(zip(CRITERIA, ("diamond", "square", "triangle-up", "circle", "x", "circle"), strict=True))
MAP_ROWS = 12  # scenarios in the heat map; more cannot be read
ENOUGH = 5  # conversations that a comparison of turns should have


def by_criterion(frame: pd.DataFrame, line: float, say: Say) -> plotly.Figure:
    """Mean of each criterion: over conversations, of the mean over their scored turns."""
    found = {name: mean_score(frame, name) for name in CRITERIA}
    known = {name: mean for name, mean in found.items() if mean.value is not None}
    if not known:
        return _empty(say)
    means: Table = pd.DataFrame(
        {"mean": [mean.value for mean in known.values()], "count": [mean.n for mean in known.values()]},
        index=list(known),
    )
    names = [say(f"criteria.{name}") for name in means.index]
    parts = means.drop(index="overall", errors="ignore")["mean"].dropna()
    flat = parts.empty or parts.max() - parts.min() < 0.01
    title = (
        say("charts.criteria_same", score=percent(means["mean"].mean()))
        if flat
        else say("charts.criteria_title", name=say(f"criteria.{parts.idxmin()}"), score=percent(parts.min()))
    )
    return _bars(names, means, title, line, say)


def by_persona(frame: pd.DataFrame, line: float, say: Say) -> plotly.Figure:
    """Mean of the conversations' scores for each persona, the hardest first."""
    means = _conversation_means(frame, "persona_name")
    if means.empty:
        return _empty(say)
    names = [str(name) for name in means.index]
    return _bars(names, means, _lowest_title("persona", names, means, say), line, say)


def by_kind(frame: pd.DataFrame, line: float, say: Say) -> plotly.Figure:
    """Mean of the conversations' scores for each kind of scenario, the weakest first."""
    means = _conversation_means(frame, "kind")
    if means.empty:
        return _empty(say)
    names = [say(f"kinds.{name}") for name in means.index]
    return _bars(names, means, say("charts.kind_title", name=names[0], score=percent(means["mean"].iloc[0])), line, say)


def by_turn(frame: pd.DataFrame, line: float, say: Say) -> plotly.Figure:
    """Mean of each criterion, turn by turn, of how many conversations; Overall is drawn strong."""
    scored: Table = frame.dropna(subset=["value"])
    if scored.empty:
        return _empty(say)
    means = scored.groupby(["turn", "criterion"])["value"].agg(["mean", "count"]).reset_index()
    figure = go.Figure()
    for name in CRITERIA:
        part = means[means["criterion"] == name]
        if not part.empty:
            figure.add_trace(_turn_line(name, part, say))
    figure.add_hline(y=line, line_dash="dash", line_color=GREY, line_width=1.5)
    dashes = {"color": GREY, "dash": "dash", "width": 1.5}
    figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="lines", name=say("charts.line", line=percent(line)), line=dashes)
    )
    held = scored.groupby("turn")["conversation"].nunique()
    figure.update_yaxes(range=[0, 1.08], tickformat=".0%", title=None)
    ticks = [f"{say('charts.turn', n=turn)}<br>{say('charts.n', n=int(n))}" for turn, n in held.items()]
    figure.update_xaxes(tickmode="array", tickvals=list(held.index), ticktext=ticks, title=None)
    return _dressed(figure, _turn_title(scored, say), 380, legend=True)


def heat_map(frame: pd.DataFrame, say: Say) -> plotly.Figure:
    """Scenario by criterion, the lowest scenarios first (at most 12); a cell's custom data is the scenario's id."""
    scored: Table = frame.dropna(subset=["value"])
    if scored.empty:
        return _empty(say)
    table = scored.pivot_table(index="scenario", columns="criterion", values="value", aggfunc="mean")
    table = table.reindex(columns=[name for name in CRITERIA if name in table.columns])
    order = table["overall"] if "overall" in table else table.mean(axis=1)
    lowest = order.sort_values(kind="stable").index[:MAP_ROWS]
    questions = {
        row: str(text) for row, text in scored.drop_duplicates("scenario").set_index("scenario")["question"].items()
    }
    counts = scored.drop_duplicates(["conversation"]).groupby("scenario").size()
    shown = table.loc[lowest]
    names, places = [say(f"criteria.{name}") for name in shown.columns], list(range(len(lowest)))
    figure = go.Figure(
        go.Heatmap(
            z=shown.to_numpy(),
            x=names,
            y=places,
            zmin=0.2,
            zmax=1,
            colorscale=LADDER,
            xgap=3,
            ygap=3,
            showscale=False,
            texttemplate="%{z:.0%}",
            hoverinfo="skip",
        )
    )
    notes = [f"{short(questions[row], 60)}<br>{say('charts.n', n=int(counts[row]))}" for row in lowest]
    figure.add_trace(_cells(shown, names, notes, say))
    rows, bare = [two_lines(questions[row]) for row in lowest], {"showgrid": False, "zeroline": False}
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], title=None, tickvals=places, ticktext=rows, **bare)
    figure.update_xaxes(range=[-0.5, len(names) - 0.5], side="top", title=None, **bare)
    title = say("charts.map_title", name=short(questions[lowest[0]], 40), score=percent(float(order.min())))
    if len(table) > MAP_ROWS:
        title += f"  ({say('charts.map_more', n=MAP_ROWS, all=len(table))})"
    return _dressed(figure, title, 130 + 44 * len(shown), top=92)


def _cells(shown: Table, names: Sequence[str], notes: Sequence[str], say: Say) -> Any:
    """What is pointed at and clicked above the heat map, which knows no clicks: an unseen mark on every cell."""
    unseen = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=[name for _ in notes for name in names],
        y=[place for place in range(len(notes)) for _ in names],
        mode="markers",
        marker={"symbol": "square", "size": 36, "opacity": 0, "color": GREY},
        selected=unseen,
        unselected=unseen,
        customdata=[[str(row)] for row in shown.index for _ in names],
        text=[
            f"{note}<br>{name}: {percent(float(value))}" if value == value else note
            for note, values in zip(notes, shown.to_numpy(), strict=True)
            for name, value in zip(names, values, strict=True)
        ],
        hovertemplate=f"%{{text}}<br><i>{say('charts.map_open')}</i><extra></extra>",
    )


def distribution(frame: pd.DataFrame, line: float, say: Say) -> plotly.Figure:
    """How many conversations have which score."""
    table: Table = conversation_scores(frame)
    scores: list[float] = [float(score) for score in table["score"].dropna()]
    if not scores:
        return _empty(say)
    edges = [step / 20 for step in range(21)]
    counts = Counter(max(0, ceil(score * 20 - 1e-9) - 1) for score in scores)
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    figure = go.Figure(
        go.Bar(
            x=middles,
            y=[counts[place] for place in range(20)],
            marker_color=[BAMBOO if high > line + 1e-9 else INDIGO for high in edges[1:]],
            width=0.044,
            hovertemplate="%{x:.0%}: %{y}<extra></extra>",
        )
    )
    _finish_line(figure, line, say)
    figure.update_xaxes(range=[0, 1.02], tickformat=".0%", title=None)
    figure.update_yaxes(title=say("charts.count"), rangemode="tozero")
    share = sum(score >= line - 1e-9 for score in scores) / len(scores)
    return _dressed(
        figure, f"{say('charts.spread_title', share=percent(share))} ({say('charts.n', n=len(scores))})", 320
    )


def _conversation_means(frame: pd.DataFrame, column: str) -> Table:
    """Means of the conversations' scores by a column of theirs, lowest first."""
    scores: Table = conversation_scores(frame).dropna(subset=["score"])
    return scores.groupby(column)["score"].agg(["mean", "count"]).sort_values("mean", kind="stable")


def _lowest_title(what: str, names: Sequence[str], means: Table, say: Say) -> str:
    """Who or what does worst, unless they are all about equal (within two points)."""
    values = means["mean"]
    if len(names) > 1 and values.max() - values.min() < 0.02:
        return say(f"charts.{what}_same", score=percent(float(values.mean())))
    return say(f"charts.{what}_title", name=short(names[0], 18), score=percent(float(values.iloc[0])))


def _bars(names: Sequence[str], means: Table, title: str, line: float, say: Say) -> plotly.Figure:
    """Lying bars: green at the finish line or beyond, indigo below, the lowest in persimmon."""
    values = [float(value) for value in means["mean"]]
    lowest = min((value for value in values if value == value), default=0.0)
    shown = [short(name, 18) for name in names]
    notes = [
        f"<b>{percent(v)}</b>  <span style='opacity:.7'>{say('charts.n', n=int(n))}</span>" for v, n in _pairs(means)
    ]
    colors = [_color(value, line, lowest) for value in values]
    hover = "%{y}: %{x:.0%}<extra></extra>"
    figure = go.Figure(go.Bar(x=values, y=shown, orientation="h", marker_color=colors, hovertemplate=hover))
    figure.add_trace(
        go.Scatter(
            x=[1.04] * len(shown), y=shown, text=notes, mode="text", textposition="middle right", hoverinfo="skip"
        )
    )
    _finish_line(figure, line, say)
    figure.update_xaxes(range=[0, 1.5], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", title=None)
    figure.update_yaxes(autorange="reversed", title=None)
    return _dressed(figure, title, 130 + 38 * len(values))


def _pairs(means: Table) -> list[tuple[float, int]]:
    return [(float(value), int(count)) for value, count in zip(means["mean"], means["count"], strict=True)]


def _color(value: float, line: float, lowest: float) -> str:
    if value >= line - 1e-9:
        return BAMBOO
    return PERSIMMON if value == lowest else INDIGO


def _turn_line(name: str, part: Table, say: Say) -> Any:
    strong = name == "overall"
    return go.Scatter(
        x=part["turn"],
        y=part["mean"],
        name=say(f"criteria.{name}"),
        mode="lines+markers",
        opacity=1 if strong else 0.75,
        line={"width": 4 if strong else 1.6, "color": LINES[name], "dash": "solid" if strong else "dot"},
        marker={"size": 9 if strong else 6, "symbol": MARKS[name]},
        customdata=[say("charts.n", n=int(count)) for count in part["count"]],
        hovertemplate="%{y:.0%} (%{customdata})",
    )


def _turn_title(scored: Table, say: Say) -> str:
    """First against last turn of the same conversations: those that went so far (harder ones go further)."""
    overall = scored[scored["criterion"] == "overall"]
    table = overall.pivot_table(index="conversation", columns="turn", values="value", aggfunc="mean")
    if 1 not in table or len(table.columns) < 2:
        return say("charts.turn_title_short")
    pairs = {int(turn): table[[1, turn]].dropna() for turn in table.columns if turn != 1}
    turn = max((turn for turn, both in pairs.items() if len(both) >= ENOUGH), default=min(pairs))
    both = pairs[turn]
    if both.empty:
        return say("charts.turn_title_short")
    first, last = float(both[1].mean()), float(both[turn].mean())
    found = {"turn": turn, "n": len(both), "first": percent(first), "last": percent(last)}
    if abs(last - first) < 0.02:
        return say("charts.turn_title_same", turn=turn, n=len(both))
    return say("charts.turn_title_rises" if last > first else "charts.turn_title_falls", **found)


def _finish_line(figure: Any, line: float, say: Say) -> None:
    """A dashed upright line with its name above it where a score is good enough."""
    where: dict[str, Any] = {"line_dash": "dash", "line_color": GREY, "line_width": 1.5}
    note: dict[str, Any] = {"annotation_text": say("charts.line", line=percent(line)), "annotation_font_color": GREY}
    figure.add_vline(x=line, annotation_position="top", **where, **note)


def _dressed(figure: Any, title: str, height: int, legend: bool = False, top: int = 70) -> plotly.Figure:
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


def _empty(say: Say) -> plotly.Figure:
    """What is drawn where nothing has been scored."""
    figure = go.Figure()
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return _dressed(figure, say("charts.empty"), 140)
