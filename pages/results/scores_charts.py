"""The tabs of the scores: charts, and the conversations as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.clarification import count_questions
from core.analysis.conversation_list import conversation_table, criterion_rows
from core.analysis.failures.entries import FAILURE_THRESHOLD
from core.analysis.formatting import percent
from core.analysis.run_means import conversation_scores, mean_of_run
from core.base.types import TURN_JUDGE
from core.charts import scores as charts
from core.charts.heat_maps import criteria_by, heat_map
from core.charts.questions_time_cost import cost_by_role, questions_asked, seconds_by_stage
from core.charts.runs import RunScore, score_over_runs
from core.charts.style import Chart, colors_text
from core.charts.turns import turn_lines
from core.store.rows import ENDED, RunRow
from core.store.scores import ConversationScores
from pages.components.appearance import ending_text, local_time
from pages.components.chart import choose_point, draw_chart
from pages.components.cost import currency, money_text
from pages.components.links import open_transcript
from pages.components.plain_text import plain
from pages.components.url_choice import choose_in_url
from pages.components.widgets import action_button, choose_row
from pages.i18n.translate import stored_error_text, t
from pages.results.scores_view import RunView

MAX_RUNS = 30  # the newest runs of a bot in the chart over runs
MAX_PROBLEMS = 20  # problems listed before "and n more"
TABLE_STEP = 100  # conversations in the table, and how many more each time


def draw_section(view: RunView) -> None:
    names = {name: t(f"scores.section_{name}") for name in SECTIONS}
    label = t("scores.sections")
    chosen = choose_in_url(
        "section", label, names, control="segmented_control", label_visibility="collapsed", required=True
    )
    SECTIONS[chosen](view)


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


def draw_conversations(view: RunView) -> None:
    chosen = (view.main_criterion, view.judge, view.lower_is_better)
    table = view.cached("table", lambda: conversation_table(view.frame, view.conversations, *chosen))
    show_conversations(table, view)
    show_problems(view)


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


SECTIONS: dict[str, Callable[[RunView], None]] = {
    "overview": draw_overview,
    "breakdown": draw_breakdown,
    "scenarios": draw_scenarios,
    "conversations": draw_conversations,
    "effort": draw_effort,
    "runs": draw_trend,
}


def show_conversations(table: pd.DataFrame, view: RunView) -> None:
    """Search and show the table, TABLE_STEP rows at a time; a selected row opens its transcript."""
    st.subheader(t("scores.table"), anchor=False)
    st.caption(_lead(int((table["failed_turns"] != "").sum()), view))
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    text = left.text_input(t("scores.find"), key=f"find-{view.run.id}", icon=":material/search:")
    only_failed = right.toggle(t("scores.only_failures"), key="only_failures")
    rows = _search(table, text, only_failed)
    if rows.empty:
        st.caption(t("scores.none_found"))
        return
    shown_key = f"shown-{view.run.id}-{view.judge}-{text}-{only_failed}"
    limit = st.session_state.get(shown_key, TABLE_STEP)
    shown = _translated(rows.head(limit))
    selected = _choose_conversation(shown, f"table-{shown_key}-{len(shown)}")
    if len(rows) > limit:
        key = "scores.first_of_lower_is_better" if view.lower_is_better else "scores.first_of"
        st.caption(t(key, n=f"{limit:,}", all=f"{len(rows):,}"))
        extended = {shown_key: limit + TABLE_STEP}
        action_button(t("scores.show_more"), "expand_more", st.session_state.update, extended)
    if selected is not None:
        open_transcript(view.run.bot, view.run.id, str(shown.iloc[selected]["id"]))


def _lead(failed: int, view: RunView) -> str:
    if view.judge == TURN_JUDGE:
        return t("scores.table_lead", failed=f"{failed:,}")
    if view.lower_is_better:
        return t("scores.table_lead_lower_is_better", failed=f"{failed:,}", line=percent(1 - FAILURE_THRESHOLD))
    return t("scores.table_lead_judge", failed=f"{failed:,}", line=percent(FAILURE_THRESHOLD))


def _search(table: pd.DataFrame, text: str, only_failed: bool) -> pd.DataFrame:
    """Rows with every word in question or persona."""
    rows = table[table["failed_turns"] != ""] if only_failed else table
    texts = (rows["question"].astype(str) + "\n" + rows["persona"].astype(str)).str.casefold()
    for word in text.casefold().split():
        texts = texts[texts.str.contains(word, regex=False)]
    return rows.loc[texts.index]


def _translated(table: pd.DataFrame) -> pd.DataFrame:
    """The table with kind and ending in the user's language."""
    rows = table.astype(dict.fromkeys(("id", "question", "persona", "kind", "status", "ending"), object))
    rows["kind"] = [t(f"kinds.{kind}") if kind else "" for kind in rows["kind"]]
    rows["ending"] = [ending_text(*pair) for pair in zip(rows["ending"], rows["status"], strict=True)]
    return rows.drop(columns="status")


def _choose_conversation(rows: pd.DataFrame, key: str) -> int | None:
    """Draw the table. Returns the place of the selected row."""
    progress = st.column_config.ProgressColumn
    columns: dict[str, Any] = {
        "number": st.column_config.NumberColumn("#", width=46),
        "score": progress(t("scores.score"), format="%.0f%%", min_value=0, max_value=100, width=110),
        "failed_turns": st.column_config.TextColumn(t("scores.failed_turns"), width=140),
        "question": st.column_config.TextColumn(t("scores.question"), width=270),
        **{name: st.column_config.TextColumn(t(f"scores.{name}"), width=105) for name in ("persona", "kind")},
        "ending": st.column_config.TextColumn(t("scores.ending"), width=170, help=t("scores.ending_help")),
    }
    return choose_row(rows, key, column_order=list(columns), column_config=columns)


def show_problems(view: RunView) -> None:
    failed = view.conversations[view.conversations["status"] == "failed"]
    scores = criterion_rows(view.frame, view.main_criterion, view.judge)
    unscored = scores[scores["value"].isna()]
    count = len(failed) + len(unscored)
    with st.expander(f"{t('scores.problems')} ({count:,})", icon=":material/report:", expanded=bool(count)):
        listed = _failed_texts(failed.head(MAX_PROBLEMS), view)
        listed += _unscored_texts(unscored.head(MAX_PROBLEMS - len(listed)), view)
        for text in listed:
            st.markdown(f"- {text}")
        if count > len(listed):
            st.caption(t("scores.and_more", n=f"{count - len(listed):,}"))
        if not count:
            st.caption(t("scores.no_problems"))


def _failed_texts(rows: Any, view: RunView) -> list[str]:
    texts: list[str] = []
    for row in rows.itertuples():
        conversation = view.store.conversations.get(str(row.conversation))
        error = stored_error_text(conversation.error if conversation else "")
        texts.append(t("scores.problem_failed", number=row.number, error=plain(error)))
    return texts


def _unscored_texts(rows: Any, view: RunView) -> list[str]:
    texts: list[str] = []
    for row in rows.itertuples():
        turns = view.store.conversations.turns(str(row.conversation), {view.judge: str(row.version)})
        scores = (score for turn in turns if turn.number == row.turn for score in turn.scores)
        reasons = (s.reasons or stored_error_text(s.error) for s in scores if s.criterion == view.main_criterion)
        error = next(reasons, t("scores.not_judged"))
        texts.append(t("scores.problem_unscored", number=row.number, turn=row.turn, error=plain(error)))
    return texts
