"""Charts of a run: each states its finding in its title and takes its words from `say`, so that it speaks any language.

Frames are `score_frame` of the store: one row per score; rows without a value are left out, and every mark says of how many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Any

import pandas as pd
import plotly.graph_objects as plotly

from core.report.labels import percent, short, two_lines
from core.report.looks import BAMBOO, GREY, INDIGO, PERSIMMON, Say, bars, criterion_name, dressed, empty, finish_line
from core.report.summary import conversation_scores, criteria_of, headline, mean_score

Table = Any  # pandas and Plotly tell little of their types
go: Any = plotly
LADDER = [[0.0, "#f2a873"], [0.45, "#cfcbc4"], [1.0, "#4a66b0"]]  # light to dark, so that it reads in grey too
CRITERIA: tuple[str, ...] = ("understanding", "relevance", "completeness", "correctness", "coherence", "overall")
COLORS = ("#7f8fc4", "#b7794e", PERSIMMON, BAMBOO, GREY, INDIGO)
SYMBOLS = ("diamond", "square", "triangle-up", "circle", "x", "circle")
LINES: dict[str, str] = dict(zip(CRITERIA, COLORS, strict=True))
MARKS: dict[str, str] = dict(zip(CRITERIA, SYMBOLS, strict=True))
MAP_ROWS = 12  # scenarios in the heat map; more cannot be read
ENOUGH = 5  # conversations that a comparison of turns should have


def by_criterion(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of each criterion of a judge: over conversations, of the mean over their scored turns.

    lower: criteria of which less is better; they are drawn in grey, since the finish line says nothing of them.
    """
    found = {name: mean_score(frame, name, judge) for name in criteria_of(frame, judge)}
    known = {name: mean for name, mean in found.items() if mean.value is not None}
    if not known:
        return empty(say)
    means: Table = pd.DataFrame(
        {"mean": [mean.value for mean in known.values()], "count": [mean.n for mean in known.values()]},
        index=list(known),
    )
    names = [criterion_name(name, say) for name in means.index]
    grey = [name in lower for name in means.index]
    return bars(names, means, _criteria_title(means, lower, say), line, say, grey)


def _criteria_title(means: Table, lower: frozenset[str], say: Say) -> str:
    """The weakest criterion, unless there is one only or all are equal."""
    kept = means["mean"].drop(index=[name for name in means.index if name in lower])
    if kept.empty:
        return say("charts.criteria_lower", score=percent(float(means["mean"].iloc[0])))
    if len(means) == 1:
        return say("charts.criteria_one", score=percent(float(kept.iloc[0])))
    parts = kept.drop(index="overall", errors="ignore")
    if parts.empty or parts.max() - parts.min() < 0.01:
        return say("charts.criteria_same", score=percent(float(kept.mean())))
    return say("charts.criteria_title", name=criterion_name(str(parts.idxmin()), say), score=percent(parts.min()))


def by_persona(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of the conversations' scores for each persona, the hardest first."""
    less = headline(frame, judge) in lower
    means = _conversation_means(frame, "persona_name", judge, less)
    if means.empty:
        return empty(say)
    names = [str(name) for name in means.index]
    return bars(names, means, _lowest_title("persona", names, means, say), None if less else line, say)


def by_kind(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """Mean of the conversations' scores for each kind of scenario, the weakest first."""
    less = headline(frame, judge) in lower
    means = _conversation_means(frame, "kind", judge, less)
    if means.empty:
        return empty(say)
    names = [say(f"kinds.{name}") for name in means.index]
    title = say("charts.kind_title", name=names[0], score=percent(means["mean"].iloc[0]))
    return bars(names, means, title, None if less else line, say)


def by_turn(frame: pd.DataFrame, line: float, say: Say, judge: str = "turn") -> plotly.Figure:
    """Mean of each criterion, turn by turn, of how many conversations; Overall is drawn strong."""
    scored = _scored(frame, judge)
    if scored.empty:
        return empty(say)
    means = scored.groupby(["turn", "criterion"])["value"].agg(["mean", "count"]).reset_index()
    figure = go.Figure()
    criteria = criteria_of(frame, judge)
    for name in criteria:
        part = means[means["criterion"] == name]
        if not part.empty:
            figure.add_trace(_turn_line(name, part, say, criteria))
    figure.add_hline(y=line, line_dash="dash", line_color=GREY, line_width=1.5)
    dashes = {"color": GREY, "dash": "dash", "width": 1.5}
    figure.add_trace(
        go.Scatter(x=[None], y=[None], mode="lines", name=say("charts.line", line=percent(line)), line=dashes)
    )
    held = scored.groupby("turn")["conversation"].nunique()
    figure.update_yaxes(range=[0, 1.08], tickformat=".0%", title=None)
    ticks = [f"{say('charts.turn', n=turn)}<br>{say('charts.n', n=int(n))}" for turn, n in held.items()]
    figure.update_xaxes(tickmode="array", tickvals=list(held.index), ticktext=ticks, title=None)
    return dressed(figure, _turn_title(scored, headline(frame, judge), say), 380, legend=True)


def heat_map(frame: pd.DataFrame, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()) -> plotly.Figure:
    """Scenario by criterion, the lowest scenarios first (at most 12); a cell's custom data is the scenario's id."""
    scored = _scored(frame, judge)
    if scored.empty:
        return empty(say)
    table = scored.pivot_table(index="scenario", columns="criterion", values="value", aggfunc="mean")
    table = table.reindex(columns=[name for name in criteria_of(frame, judge) if name in table.columns])
    less = headline(frame, judge) in lower
    order = table[headline(frame, judge)].sort_values(ascending=not less, kind="stable")
    lowest = order.index[:MAP_ROWS]
    questions = {
        row: str(text) for row, text in scored.drop_duplicates("scenario").set_index("scenario")["question"].items()
    }
    counts = scored.drop_duplicates(["conversation"]).groupby("scenario").size()
    shown = table.loc[lowest]
    names, places = [criterion_name(name, say) for name in shown.columns], list(range(len(lowest)))
    figure = go.Figure(
        go.Heatmap(
            z=_goodness(shown, lower).to_numpy(),
            text=[[percent(value) if value == value else "" for value in row] for row in shown.to_numpy()],
            x=names,
            y=places,
            zmin=0.2,
            zmax=1,
            colorscale=LADDER,
            xgap=3,
            ygap=3,
            showscale=False,
            texttemplate="%{text}",
            hoverinfo="skip",
        )
    )
    notes = [f"{short(questions[row], 60)}<br>{say('charts.n', n=int(counts[row]))}" for row in lowest]
    figure.add_trace(_cells(shown, names, notes, say))
    rows, bare = [two_lines(questions[row]) for row in lowest], {"showgrid": False, "zeroline": False}
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], title=None, tickvals=places, ticktext=rows, **bare)
    figure.update_xaxes(range=[-0.5, len(names) - 0.5], side="top", title=None, **bare)
    title = say(
        "charts.map_lower" if less else "charts.map_title",
        name=short(questions[lowest[0]], 40),
        score=percent(float(order.iloc[0])),
    )
    if len(table) > MAP_ROWS:
        title += f"  ({say('charts.map_more', n=MAP_ROWS, all=len(table))})"
    return dressed(figure, title, 130 + 44 * len(shown), top=92)


def _goodness(table: Table, lower: frozenset[str]) -> Table:
    """The values, turned round in the columns of which less is better."""
    return table.assign(**{name: 1 - table[name] for name in table.columns if name in lower})


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


def distribution(
    frame: pd.DataFrame, line: float, say: Say, judge: str = "turn", lower: frozenset[str] = frozenset()
) -> plotly.Figure:
    """How many conversations have which score."""
    less = headline(frame, judge) in lower
    table: Table = conversation_scores(frame, headline(frame, judge), judge)
    scores: list[float] = [float(score) for score in table["score"].dropna()]
    if not scores:
        return empty(say)
    edges = [step / 20 for step in range(21)]
    counts = Counter(max(0, ceil(score * 20 - 1e-9) - 1) for score in scores)
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    figure = go.Figure(
        go.Bar(
            x=middles,
            y=[counts[place] for place in range(20)],
            marker_color=[BAMBOO if high > line + 1e-9 and not less else INDIGO for high in edges[1:]],
            width=0.044,
            hovertemplate="%{x:.0%}: %{y}<extra></extra>",
        )
    )
    if not less:
        finish_line(figure, line, say)
    figure.update_xaxes(range=[0, 1.02], tickformat=".0%", title=None)
    figure.update_yaxes(title=say("charts.count"), rangemode="tozero")
    share = sum(score >= line - 1e-9 for score in scores) / len(scores)
    mean = say("charts.spread_lower", score=percent(sum(scores) / len(scores)))
    title = mean if less else say("charts.spread_title", share=percent(share))
    return dressed(figure, f"{title} ({say('charts.n', n=len(scores))})", 320)


def _scored(frame: pd.DataFrame, judge: str) -> Table:
    """The scores of one judge that have a value."""
    table: Table = frame
    return table[table["judge"] == judge].dropna(subset=["value"])


def _conversation_means(frame: pd.DataFrame, column: str, judge: str, less: bool) -> Table:
    """Means of the conversations' scores by a column of theirs, the worst first; `less`: of scores of which less is better."""
    scores: Table = conversation_scores(frame, headline(frame, judge), judge).dropna(subset=["score"])
    return (
        scores[scores[column] != ""]
        .groupby(column)["score"]
        .agg(["mean", "count"])
        .sort_values("mean", ascending=not less, kind="stable")
    )


def _lowest_title(what: str, names: Sequence[str], means: Table, say: Say) -> str:
    """Who or what does worst, unless they are all about equal (within two points)."""
    values = means["mean"]
    if len(names) > 1 and values.max() - values.min() < 0.02:
        return say(f"charts.{what}_same", score=percent(float(values.mean())))
    return say(f"charts.{what}_title", name=short(names[0], 18), score=percent(float(values.iloc[0])))


def _turn_line(name: str, part: Table, say: Say, criteria: Sequence[str]) -> Any:
    strong, place = name == "overall" or len(criteria) == 1, criteria.index(name)
    return go.Scatter(
        x=part["turn"],
        y=part["mean"],
        name=criterion_name(name, say),
        mode="lines+markers",
        opacity=1 if strong else 0.75,
        line={
            "width": 4 if strong else 1.6,
            "color": LINES.get(name, COLORS[place % len(COLORS)]),
            "dash": "solid" if strong else "dot",
        },
        marker={"size": 9 if strong else 6, "symbol": MARKS.get(name, SYMBOLS[place % len(SYMBOLS)])},
        customdata=[say("charts.n", n=int(count)) for count in part["count"]],
        hovertemplate="%{y:.0%} (%{customdata})",
    )


def _turn_title(scored: Table, criterion: str, say: Say) -> str:
    """First against last turn of the same conversations: those that went so far (harder ones go further)."""
    overall = scored[scored["criterion"] == criterion]
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
