"""The charts of the scores: criteria, personas, kinds, turns, scenarios, effort, and the bot's runs."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.analysis.clarification import count_questions
from core.analysis.run_means import conversation_scores, mean_of_run
from core.charts import scores as charts
from core.charts.heat_maps import criteria_by, heat_map
from core.charts.questions_time_cost import cost_by_role, questions_asked, seconds_by_stage
from core.charts.runs import RunScore, score_over_runs
from core.charts.style import Chart, colors_text
from core.charts.turns import turn_lines
from core.store.rows import ENDED, RunRow
from core.store.scores import ConversationScores
from pages.components.appearance import local_time
from pages.components.chart import choose_point, draw_chart
from pages.components.cost import currency, money_text
from pages.components.links import open_transcript
from pages.i18n.translate import t
from pages.results.scores_view import RunView

MAX_RUNS = 30  # the newest runs of a bot in the chart over runs


def draw_overview(view: RunView) -> None:
    show_colors(view, bars=True)
    makers: dict[str, Callable[[], Chart]] = {
        "criteria": lambda: charts.criterion_bars(view.scores, view.marks, t),
        "distribution": lambda: charts.distribution(view.scores, view.marks, t),
    }
    if _has_values(view, "persona_name"):
        makers["by_persona"] = lambda: charts.by_group(view.scores, "persona_name", view.marks, t)
    if _has_values(view, "kind"):
        makers["by_kind"] = lambda: charts.by_group(view.scores, "kind", view.marks, t)
    columns = [column for _ in range(0, len(makers), 2) for column in st.columns(2, gap="medium")]
    for column, (name, make) in zip(columns, makers.items(), strict=False):
        draw_chart(column, view.cached(f"chart-{name}", make), t(f"scores.{name}"), name)


def show_colors(view: RunView, bars: bool = False) -> None:
    """Say once what the colours of the charts below tell; bars: whether paler ones are among them."""
    lines = [f":{color}[■] {text}" for color, text in colors_text(view.marks, t).items()]
    lines += [t("charts.color_pale")] if bars else []
    lines += [f":gray[■] {t('charts.color_grey')}"] if view.lower_criteria.intersection(view.scores.criteria) else []
    st.caption("　".join(lines))


def draw_breakdown(view: RunView) -> None:
    show_colors(view)
    for column, name in (("persona_name", "criteria_persona"), ("kind", "criteria_kind")):
        if _has_values(view, column):
            chart = view.cached(f"chart-{name}", lambda column=column: criteria_by(view.scores, column, view.marks, t))
            draw_chart(st, chart, t(f"scores.{name}"), name)
    if view.cached("longest", lambda: view.frame["turn"].max()) > 1:
        chart = view.cached("chart-by_turn", lambda: turn_lines(view.scores, view.pass_mark, t))
        draw_chart(st, chart, t("scores.by_turn"), "by_turn")


def draw_scenarios(view: RunView) -> None:
    """The heat map of scenarios and criteria; a click opens the scenario's worst conversation."""
    show_colors(view)
    chart = view.cached("chart-map", lambda: heat_map(view.scores, view.marks, t))
    if clicked := choose_point(st, chart, t("scores.map"), "map"):
        open_worst_conversation(view, str(clicked[0]))


def open_worst_conversation(view: RunView, scenario: str) -> None:
    frame = view.frame[view.frame["scenario"] == scenario]
    scores = conversation_scores(frame, view.main_criterion, view.judge)
    scores = scores.sort_values("score", ascending=not view.lower_is_better, kind="stable")
    if len(scores):
        open_transcript(view.run.bot, view.run.id, str(scores["conversation"].iloc[0]))


def draw_effort(view: RunView) -> None:
    """Clarifying questions, seconds per stage and cost per role; seconds and cost are of the whole run."""
    asked = view.cached("chart-asked", lambda: _questions_chart(view))
    draw_chart(st, asked, t("clarification.per_conversation"), "asked")
    left, right = st.columns(2, gap="medium")
    seconds = view.store.conversations.stage_seconds
    stages = view.cached("chart-stages", lambda: seconds_by_stage(seconds(view.run.id), t))
    draw_chart(left, stages, t("scores.seconds"), "seconds")
    unit, spending = currency(), view.store.calls.spending_by("role", view.run.id)
    ended = int((view.tables.conversations["status"].isin(ENDED)).sum())
    cost = cost_by_role(spending, ended, lambda value: money_text(value, unit), t)
    draw_chart(right, cost, t("scores.cost"), "cost")


def _questions_chart(view: RunView) -> Chart:
    turns = view.tables.decisions
    turns = turns[turns["conversation"].isin(view.conversations["conversation"])]
    counts = count_questions(turns)
    return questions_asked(counts, turns["conversation"].nunique() - sum(counts.values()), t)


def draw_trend(view: RunView) -> None:
    """The mean of each of the bot's runs by the same judge; a click opens the run."""
    runs = {run.id: run for run in view.store.runs.all(view.bot.id) if run.status != "running"}
    means = view.store.scores.conversation_scores_by_run(view.judge, view.main_criterion, view.bot.id, MAX_RUNS)
    scores = [_run_score(runs[run_id], means[run_id]) for run_id in means if run_id in runs]
    scores.sort(key=lambda score: (runs[score.id].created_at, score.id))
    chart = score_over_runs(scores, view.pass_mark, t, view.lower_is_better, view.run.id)
    clicked = choose_point(st, chart, t("scores.over_runs"), "over_runs")
    if clicked and clicked[0] != view.run.id:
        st.query_params.update({"run": str(clicked[0]), "section": "overview"})
        st.rerun()


def _run_score(run: RunRow, conversations: ConversationScores) -> RunScore:
    score, version = mean_of_run(run.id, conversations), conversations.version
    asks = bool(run.plan.get("clarify", True))
    return RunScore(run.id, local_time(run.created_at), run.name, score, version, run.status == "done", asks)


def _has_values(view: RunView, column: str) -> bool:
    """Whether any conversation has a value there (answers of a file have no persona)."""
    return view.cached(f"any-{column}", lambda: any(view.frame[column].unique()))
