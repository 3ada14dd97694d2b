"""The clarify scorecard: four numbers, needed by asked, and the conversations behind each cell."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.report.asking_charts import CELLS, Cell, cells_of, confusion, questions
from core.report.clarify import First, Rate, Scorecard
from core.store.rows import RunRow
from pages.shared.asking.look import plot
from pages.shared.draw import percent
from pages.shared.words import language, say

SHOWN = 200  # conversations of a cell in its table
WRONG: tuple[Cell, ...] = ((True, False), (False, True))


def card_figures(card: Scorecard) -> None:
    """Asked when needed, asked needlessly, needed when asked, questions per conversation; each of how many."""
    cells = st.columns(4)
    for place, name in zip(cells, ("recall", "needless", "precision"), strict=False):
        _figure(place, say(f"asking.{name}"), getattr(card, name))
    held = sum(card.questions.values())
    mean = "–" if card.mean_questions is None else f"{card.mean_questions:.2f}"
    with cells[3].container(border=True, height="stretch"):
        st.metric(say("asking.per_conversation"), mean)
        st.caption(say("charts.n", n=f"{held:,}"))
    notes = [say(f"asking.{name}", n=f"{n:,}") for name in ("unlabelled", "unknown") if (n := getattr(card, name))]
    st.caption("  \n".join([say("asking.how"), *notes]))


def _figure(place: st.delta_generator.DeltaGenerator, label: str, rate: Rate) -> None:
    """A share with its count and interval."""
    with place.container(border=True, height="stretch"):
        st.metric(label, percent(rate.value))
        if rate.value is None:
            st.caption(say("asking.none_such"))
            return
        interval = say("asking.interval", low=percent(rate.low), high=percent(rate.high))
        counted = say("asking.counted", hits=f"{rate.hits:,}", n=f"{rate.n:,}", scenarios=f"{rate.scenarios:,}")
        st.caption(f"{counted}  \n{interval}")


def card_charts(card: Scorecard, first: Sequence[First], frame: pd.DataFrame, run: RunRow) -> None:
    """Needed by asked beside the questions per conversation; below, the conversations of the chosen cell."""
    cells = cells_of(first)
    left, right = st.columns(2, gap="medium")
    chosen = plot(left, confusion(cells, say), "asking.confusion", on_select="rerun", selection_mode="points")
    plot(right, questions(card, say), "asking.questions")
    points = chosen["selection"]["points"]
    picked = [tuple(bool(part) for part in point["customdata"]) for point in points if point.get("customdata")]
    _conversations(cells, _shown(picked[0] if picked else None), frame, run)


def _shown(picked: tuple[bool, ...] | None) -> tuple[Cell, ...]:
    """The cell that was clicked; at first both that are wrong."""
    return tuple(cell for cell in CELLS if cell == picked) or WRONG


def _conversations(cells: dict[Cell, list[str]], wanted: Sequence[Cell], frame: pd.DataFrame, run: RunRow) -> None:
    """The conversations of the cells as a table; selecting one opens it."""
    of = {mark: cell for cell in wanted for mark in cells[cell]}
    st.markdown(f"**{say('asking.wrong_ones' if len(wanted) > 1 else _name(wanted[0]), n=f'{len(of):,}')}**")
    if not of:
        st.caption(say("asking.cell_empty"))
        return
    rows = frame[(frame["turn"] == 1) & frame["conversation"].isin(list(of))].head(SHOWN)
    table = pd.DataFrame(
        {
            "number": rows["number"],
            "what": [say(_short(of[mark])) for mark in rows["conversation"]],
            "question": rows["question"],
            "persona": rows["persona_name"],
            "reply": rows["reply_text"].str.slice(0, 200),
        }
    )
    st.caption(say("asking.select") if len(of) <= SHOWN else say("asking.select_some", n=SHOWN, all=f"{len(of):,}"))
    chosen = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"asking-{run.id}-{len(table)}-{wanted}-{language()}",
        column_config={
            "number": st.column_config.NumberColumn("#", width=50),
            "what": st.column_config.TextColumn(say("asking.what"), width=150),
            "question": st.column_config.TextColumn(say("scores.question"), width=320),
            "persona": st.column_config.TextColumn(say("scores.persona"), width=110),
            "reply": st.column_config.TextColumn(say("asking.reply"), width=320),
        },
    )
    if chosen.selection.rows:
        mark = str(rows.iloc[chosen.selection.rows[0]]["conversation"])
        asked = {"bot": run.bot, "run": run.id, "conversation": mark}
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def _name(cell: Cell) -> str:
    return f"asking.cell_{'needed' if cell[0] else 'clear'}_{'asked' if cell[1] else 'searched'}"


def _short(cell: Cell) -> str:
    return {(True, False): "asking.missed", (False, True): "asking.asked_needlessly"}.get(cell, "asking.rightly")
