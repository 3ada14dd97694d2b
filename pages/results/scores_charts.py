"""The charts of the results page, section by section; only the section that is open is computed."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import Any, NamedTuple

import streamlit as st
from plotly.graph_objects import Figure

from core.analysis.aggregate import MeanScore, conversation_scores
from core.analysis.clarification import count_questions
from core.analysis.confidence_intervals import mean_interval
from core.charts import scores as charts
from core.charts.heat_maps import criteria_by, heat_map
from core.charts.runs import RunScore, score_over_runs
from core.charts.turns import by_turn
from core.charts.work import cost_by_role, questions_asked, seconds_by_stage
from core.store.records import RunRow
from core.store.store import Store
from pages.components.appearance import local_time
from pages.components.cost import currency, money_text
from pages.components.plain_text import plain
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.conversation_table import conversation_table, conversations, problems
from pages.results.scores_view import Shown

RUNS = 30  # of a bot, the newest, in the chart over runs
Draw = Callable[[Shown, Store], None]
Make = Callable[[], Figure]


class Drawn(NamedTuple):
    """A chart without its title, and the finding that the title told."""

    finding: str
    figure: Figure


def draw(view: Shown, store: Store) -> None:
    """The section that the person chose."""
    names = {name: t(f"scores.section_{name}") for name in SECTIONS}
    label = t("scores.sections")
    chosen = choose_in_url(
        "section", label, names, control="segmented_control", label_visibility="collapsed", required=True
    )
    SECTIONS[chosen](view, store)


def overview(view: Shown, store: Store) -> None:
    """Criteria, spread, personas, kinds: two by two."""
    told = (view.line, t, view.judge, view.lower)
    makers: dict[str, Make] = {
        "criteria": lambda: charts.by_criterion(view.frame, *told),
        "distribution": lambda: charts.distribution(view.frame, *told),
    }
    if _any(view, "persona_name"):
        makers["by_persona"] = lambda: charts.by_group(view.frame, "persona_name", *told)
    if _any(view, "kind"):
        makers["by_kind"] = lambda: charts.by_group(view.frame, "kind", *told)
    pairs = list(makers.items())
    for place in range(0, len(pairs), 2):
        for column, (name, make) in zip(st.columns(2, gap="medium"), pairs[place : place + 2], strict=False):
            plot(column, drawn(view, name, make), t(f"scores.{name}"), name)


def inside(view: Shown, store: Store) -> None:
    """Criteria by persona and by kind, and turn by turn."""
    for column, name in (("persona_name", "criteria_persona"), ("kind", "criteria_kind")):
        if _any(view, column):
            figure = drawn(view, name, lambda column=column: criteria_by(view.frame, column, t, view.judge, view.lower))
            plot(st, figure, t(f"scores.{name}"), name)
    if view.once("longest", lambda: view.frame["turn"].max()) > 1:
        figure = drawn(view, "by_turn", lambda: by_turn(view.frame, view.line, t, view.judge))
        plot(st, figure, t("scores.by_turn"), "by_turn")


def scenarios(view: Shown, store: Store) -> None:
    """The heat map; a click opens the scenario's lowest conversation."""
    figure = drawn(view, "map", lambda: heat_map(view.frame, t, view.judge, view.lower))
    cells = plot(st, figure, t("scores.map"), "map", on_select="rerun", selection_mode="points")
    points = cells["selection"]["points"]
    if points and points[0].get("customdata"):
        open_lowest(view, str(points[0]["customdata"][0]))


def open_lowest(view: Shown, scenario: str) -> None:
    """The conversation of the scenario that went worst."""
    mine = view.frame[view.frame["scenario"] == scenario]
    scores = conversation_scores(mine, view.headline, view.judge)
    scores = scores.sort_values("score", ascending=not view.less, kind="stable")
    if len(scores):
        asked = {"bot": view.run.bot, "run": view.run.id, "conversation": str(scores["conversation"].iloc[0])}
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def talks(view: Shown, store: Store) -> None:
    """The conversations, worst first, and what went wrong."""
    conversations(view.once("table", lambda: conversation_table(view)), view)
    problems(view, store)


def work(view: Shown, store: Store) -> None:
    """Questions back, seconds and money; the last two of the whole run, whatever is filtered."""
    plot(st, drawn(view, "asked", lambda: _questions(view)), t("scores.asked"), "asked")
    left, right = st.columns(2, gap="medium")
    stages = drawn(view, "stages", lambda: seconds_by_stage(store.stage_seconds(view.run.id), t))
    plot(left, stages, t("scores.seconds"), "seconds")
    unit, spent = currency(), store.spending_by("role", view.run.id)
    ended = int((view.look.talks["status"].isin(["done", "failed"])).sum())
    cost = cost_by_role(spent, ended, lambda value: money_text(value, unit), t)
    plot(right, bare(cost), t("scores.cost"), "cost")


def _questions(view: Shown) -> Figure:
    turns = view.look.decisions
    turns = turns[turns["conversation"].isin(view.talks["conversation"])]
    counts = count_questions(turns)
    return questions_asked(counts, turns["conversation"].nunique() - sum(counts.values()), t)


def over_time(view: Shown, store: Store) -> None:
    """The bot's runs by the same judge; a click opens the run."""
    runs = {run.id: run for run in store.runs(view.bot.id) if run.status != "running"}
    scores = store.talk_scores(view.bot.id, view.judge, view.headline, RUNS)
    past = [_past(runs[name], found) for name, found in scores.items() if name in runs]
    past.sort(key=lambda one: (runs[one.id].created_at, one.id))
    figure = score_over_runs(past, view.line, t, view.less, view.run.id)
    cells = plot(st, bare(figure), t("scores.over_runs"), "over_runs", on_select="rerun", selection_mode="points")
    points = cells["selection"]["points"]
    if points and points[0].get("customdata") and str(points[0]["customdata"][0]) != view.run.id:
        st.query_params.update({"run": str(points[0]["customdata"][0]), "section": "overview"})
        st.rerun()


def _past(run: RunRow, found: Any) -> RunScore:
    scores = found.scores
    sure = mean_interval(scores, scenarios=found.scenarios)
    score = MeanScore(run.id, sum(scores) / len(scores), len(scores), sure, found.unscored)
    return RunScore(run.id, local_time(run.created_at), run.name, score, found.version, run.status == "done")


def _any(view: Shown, column: str) -> bool:
    """Whether any conversation says something there (answers of a file have no persona)."""
    return view.once(f"any-{column}", lambda: any(view.frame[column].unique()))


def drawn(view: Shown, name: str, make: Make) -> Drawn:
    """A chart of the run, worked out once."""
    return view.once(f"chart-{name}", lambda: bare(make()))


def bare(figure: Figure) -> Drawn:
    """A chart without its title, which stands above it as text (a chart's own title does not wrap)."""
    finding = unescape(figure.layout.title.text)
    figure.update_layout(title_text="", margin_t=figure.layout.margin.t - 36, height=figure.layout.height - 36)
    return Drawn(finding, figure)


def plot(where: Any, chart: Drawn, label: str, name: str, **looks: Any) -> Any:
    """One chart in a quiet frame under its finding."""
    with where.container(border=True, height="stretch"):
        st.caption(label)
        st.markdown(f"**{plain(chart.finding, links=False)}**")
        return st.plotly_chart(
            chart.figure, config={"displayModeBar": False}, alt=chart.finding, key=f"chart-{name}", **looks
        )


SECTIONS: dict[str, Draw] = {
    "overview": overview,
    "inside": inside,
    "scenarios": scenarios,
    "talks": talks,
    "work": work,
    "runs": over_time,
}
