"""Clarifying questions of a run: whether they were needed, what they bring, and what other thresholds would do."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.clarification import CELLS, Cell, FirstTurn, Rate, Scorecard, confusion_cells, first_turns, scorecard
from core.analysis.formatting import NO_VALUE, percent, percent_range
from core.charts.clarification import confusion_matrix
from core.charts.questions_time_cost import questions_asked
from core.runs.plan import Plan, plan_of
from core.runs.snapshot import bot_of_run
from core.store.clarification_table import read_clarification
from core.store.rows import RunRow
from pages.components.appearance import heading
from pages.components.chart import choose_point, draw_chart
from pages.components.links import open_transcript
from pages.components.provenance import show_who_replied
from pages.components.run_picker import choose_bot_of_runs, choose_run, stop_without_runs
from pages.components.services import need_store
from pages.components.widgets import choose_row
from pages.i18n.translate import language, t
from pages.results.clarification_ablation import show_ablation
from pages.results.clarification_thresholds import show_threshold_sweep
from pages.results.hidden_facts import show_facts_of_run

MAX_ROWS = 200  # conversations in the table
WRONG: tuple[Cell, ...] = ((True, False), (False, True))


def show_card_figures(card: Scorecard) -> None:
    """Show how often the bot asked when needed and needlessly, how often asking was needed, and questions per conversation."""
    columns = st.columns(4)
    for place, name in zip(columns, ("recall", "needless", "precision"), strict=False):
        rate: Rate = getattr(card, name)
        _show_metric(place, name, percent(rate.value), _rate_note(rate))
    mean = NO_VALUE if card.mean_questions is None else f"{card.mean_questions:.2f}"
    _show_metric(columns[3], "per_conversation", mean, t("charts.n", n=f"{sum(card.questions.values()):,}"))
    notes = [t(f"clarification.{name}", n=f"{n:,}") for name in ("unlabelled", "unknown") if (n := getattr(card, name))]
    st.caption("  \n".join([t("clarification.how"), *notes]))


def show_without_asking(first: Sequence[FirstTurn]) -> None:
    """Show how many conversations needed a question, in place of shares that are zero by design."""
    needed, clear = (sum(turn.needed is value for turn in first) for value in (True, False))
    st.info(t("clarification.off", needed=f"{needed:,}", clear=f"{clear:,}"), icon=":material/info:")


def _show_metric(place: DeltaGenerator, name: str, value: str, note: str) -> None:
    with place.container(border=True, height="stretch"):
        st.metric(t(f"clarification.{name}"), value)
        st.caption(note)


def _rate_note(rate: Rate) -> str:
    if rate.value is None:
        return t("clarification.none_such")
    interval = t("scores.interval", interval=percent_range(rate.low or 0.0, rate.high or 0.0))
    counted = t("clarification.counted", hits=f"{rate.hits:,}", n=f"{rate.n:,}", scenarios=f"{rate.scenarios:,}")
    return f"{counted}  \n{interval}"


def draw_card_charts(card: Scorecard, first: Sequence[FirstTurn], frame: pd.DataFrame, run: RunRow) -> None:
    cells = confusion_cells(first)
    left, right = st.columns(2, gap="medium")
    matrix, label = confusion_matrix(cells, t), t("clarification.confusion")
    clicked = choose_point(left, matrix, label, "confusion")
    questions = questions_asked(card.questions, card.unknown, t)
    draw_chart(right, questions, t("clarification.questions"), "questions")
    chosen = tuple(cell for cell in CELLS if cell == tuple(map(bool, clicked))) or WRONG
    _show_conversations(cells, chosen, frame, run)


def _show_conversations(cells: dict[Cell, list[str]], chosen: Sequence[Cell], frame: pd.DataFrame, run: RunRow) -> None:
    """Show the conversations of the chosen cells; a selected one opens its transcript."""
    by_conversation = {conversation: cell for cell in chosen for conversation in cells[cell]}
    needed, asked = chosen[0]
    cell_key = f"cell_{'needed' if needed else 'clear'}_{'asked' if asked else 'searched'}"
    title = t(f"clarification.{'wrong_ones' if len(chosen) > 1 else cell_key}", n=f"{len(by_conversation):,}")
    st.markdown(f"**{title}**")
    if not by_conversation:
        st.caption(t("clarification.cell_empty"))
        return
    rows = frame[(frame["turn"] == 1) & frame["conversation"].isin(list(by_conversation))].head(MAX_ROWS)
    columns = {
        "number": rows["number"],
        "what": [t(_short_cell_key(by_conversation[conversation])) for conversation in rows["conversation"]],
        "question": rows["question"],
        "persona": rows["persona_name"],
        "reply": rows["reply_text"].str.slice(0, 200),
    }
    total = len(by_conversation)
    is_cut = total > MAX_ROWS
    st.caption(t("clarification.select_some", n=MAX_ROWS, all=f"{total:,}") if is_cut else t("clarification.select"))
    place = choose_row(
        pd.DataFrame(columns),
        f"cell-{run.id}-{len(rows)}-{chosen}-{language()}",
        column_config={
            "number": st.column_config.NumberColumn("#", width=50),
            "what": st.column_config.TextColumn(t("clarification.what"), width=150),
            "question": st.column_config.TextColumn(t("scores.question"), width=320),
            "persona": st.column_config.TextColumn(t("scores.persona"), width=110),
            "reply": st.column_config.TextColumn(t("clarification.reply"), width=320),
        },
    )
    if place is not None:
        open_transcript(run.bot, run.id, str(rows.iloc[place]["conversation"]))


def _short_cell_key(cell: Cell) -> str:
    wrong = {(True, False): "clarification.missed", (False, True): "clarification.asked_needlessly"}
    return wrong.get(cell, "clarification.rightly")


store = need_store()


def clarification_title(card: Scorecard, plan: Plan) -> str:
    """How often the bot asked when it was needed, and when it was not."""
    if not plan.clarify:
        return t("clarification.finding_off")
    if card.unknown and not card.questions:
        return t("clarification.finding_unknown")
    if card.recall.value is None and card.needless.value is None:
        return t("clarification.finding_unlabelled")
    if card.recall.value is not None and card.needless.value == 0:
        return t("clarification.finding_never_needless", recall=percent(card.recall.value))
    return t("clarification.finding", recall=percent(card.recall.value), needless=percent(card.needless.value))


top, bot = choose_bot_of_runs(store)
runs = [run for run in store.runs.all(bot.id) if not run.is_answer_file]
stop_without_runs(runs, top, bot, t("menu.clarification"), "clarification.no_runs", t("clarification.lead"))
run = choose_run(store, runs)
plan, progress = plan_of(run), store.runs.progress(run.id)
tables = store.tables.of_run(run.id)
frame = tables.cached("clarification", lambda: read_clarification(store.db, run.id), large=True)
card = scorecard(frame)
heading(clarification_title(card, plan), t("clarification.lead"), place=top)
if run.status == "running":
    message = t("scores.still_running", done=progress.finished, total=progress.total)
    st.info(message, icon=":material/progress_activity:")
if plan.clarify:
    show_card_figures(card)
else:
    show_without_asking(first_turns(frame))
show_who_replied(store, run)
if plan.clarify and card.questions:
    draw_card_charts(card, first_turns(frame), frame, run)
show_facts_of_run(tables, frame, run)
old_bot = bot_of_run(store, run)
if old_bot.external:
    st.info(t("clarification.external_bot"), icon=":material/info:")
else:
    show_ablation(store, run, bot, frame)
    show_threshold_sweep(tables, frame, run, plan, old_bot, bot)
