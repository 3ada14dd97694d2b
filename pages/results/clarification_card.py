"""The clarify scorecard: four numbers, needed by asked, and the conversations behind each cell."""

from __future__ import annotations

from collections.abc import Sequence
from html import unescape
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from core.analysis.clarification import CELLS, Cell, FirstTurn, Rate, Scorecard, confusion_cells
from core.charts.clarification import confusion_matrix
from core.charts.work import questions_asked
from core.store.records import RunRow
from pages.components.appearance import percent
from pages.components.plain_text import plain
from pages.i18n.translate import language, t


def plot(where: Any, figure: Figure, name: str, **looks: Any) -> Any:
    """Draw a chart under its finding (its own title does not wrap); `name`: the words for what it shows, and the key."""
    finding = unescape(figure.layout.title.text)
    figure.update_layout(title_text="", margin_t=figure.layout.margin.t - 36, height=figure.layout.height - 36)
    with where.container(border=True, height="stretch"):
        st.caption(t(name))
        st.markdown(f"**{plain(finding, links=False)}**")
        return st.plotly_chart(figure, config={"displayModeBar": False}, alt=finding, key=f"chart-{name}", **looks)


SHOWN = 200  # conversations of a cell in its table
WRONG: tuple[Cell, ...] = ((True, False), (False, True))


def card_figures(card: Scorecard) -> None:
    """Asked when needed, asked needlessly, needed when asked, questions per conversation; each of how many."""
    cells = st.columns(4)
    for place, name in zip(cells, ("recall", "needless", "precision"), strict=False):
        _figure(place, t(f"clarification.{name}"), getattr(card, name))
    held = sum(card.questions.values())
    mean = "–" if card.mean_questions is None else f"{card.mean_questions:.2f}"
    with cells[3].container(border=True, height="stretch"):
        st.metric(t("clarification.per_conversation"), mean)
        st.caption(t("charts.n", n=f"{held:,}"))
    notes = [t(f"clarification.{name}", n=f"{n:,}") for name in ("unlabelled", "unknown") if (n := getattr(card, name))]
    st.caption("  \n".join([t("clarification.how"), *notes]))


def _figure(place: st.delta_generator.DeltaGenerator, label: str, rate: Rate) -> None:
    """A share with its count and interval."""
    with place.container(border=True, height="stretch"):
        st.metric(label, percent(rate.value))
        if rate.value is None:
            st.caption(t("clarification.none_such"))
            return
        interval = t("clarification.interval", low=percent(rate.low), high=percent(rate.high))
        counted = t("clarification.counted", hits=f"{rate.hits:,}", n=f"{rate.n:,}", scenarios=f"{rate.scenarios:,}")
        st.caption(f"{counted}  \n{interval}")


def card_charts(card: Scorecard, first: Sequence[FirstTurn], frame: pd.DataFrame, run: RunRow) -> None:
    """Needed by asked beside the questions per conversation; below, the conversations of the chosen cell."""
    cells = confusion_cells(first)
    left, right = st.columns(2, gap="medium")
    chosen = plot(
        left, confusion_matrix(cells, t), "clarification.confusion", on_select="rerun", selection_mode="points"
    )
    plot(right, questions_asked(card.questions, card.unknown, t), "clarification.questions")
    points = chosen["selection"]["points"]
    picked = [tuple(bool(part) for part in point["customdata"]) for point in points if point.get("customdata")]
    _conversations(cells, _shown(picked[0] if picked else None), frame, run)


def _shown(picked: tuple[bool, ...] | None) -> tuple[Cell, ...]:
    """The cell that was clicked; at first both that are wrong."""
    return tuple(cell for cell in CELLS if cell == picked) or WRONG


def _conversations(cells: dict[Cell, list[str]], wanted: Sequence[Cell], frame: pd.DataFrame, run: RunRow) -> None:
    """The conversations of the cells as a table; selecting one opens it."""
    of = {mark: cell for cell in wanted for mark in cells[cell]}
    st.markdown(f"**{t('clarification.wrong_ones' if len(wanted) > 1 else _name(wanted[0]), n=f'{len(of):,}')}**")
    if not of:
        st.caption(t("clarification.cell_empty"))
        return
    rows = frame[(frame["turn"] == 1) & frame["conversation"].isin(list(of))].head(SHOWN)
    table = pd.DataFrame(
        {
            "number": rows["number"],
            "what": [t(_short(of[mark])) for mark in rows["conversation"]],
            "question": rows["question"],
            "persona": rows["persona_name"],
            "reply": rows["reply_text"].str.slice(0, 200),
        }
    )
    st.caption(
        t("clarification.select") if len(of) <= SHOWN else t("clarification.select_some", n=SHOWN, all=f"{len(of):,}")
    )
    chosen = st.dataframe(
        table,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"asking-{run.id}-{len(table)}-{wanted}-{language()}",
        column_config={
            "number": st.column_config.NumberColumn("#", width=50),
            "what": st.column_config.TextColumn(t("clarification.what"), width=150),
            "question": st.column_config.TextColumn(t("scores.question"), width=320),
            "persona": st.column_config.TextColumn(t("scores.persona"), width=110),
            "reply": st.column_config.TextColumn(t("clarification.reply"), width=320),
        },
    )
    if chosen.selection.rows:
        mark = str(rows.iloc[chosen.selection.rows[0]]["conversation"])
        asked = {"bot": run.bot, "run": run.id, "conversation": mark}
        st.switch_page("pages/results/transcripts.py", query_params=asked)


def _name(cell: Cell) -> str:
    return f"clarification.cell_{'needed' if cell[0] else 'clear'}_{'asked' if cell[1] else 'searched'}"


def _short(cell: Cell) -> str:
    return {(True, False): "clarification.missed", (False, True): "clarification.asked_needlessly"}.get(
        cell, "clarification.rightly"
    )
