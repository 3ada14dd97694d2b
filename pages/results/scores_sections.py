"""The sections of the scores: charts, and the conversations with what failed."""

from __future__ import annotations

from collections.abc import Callable

from core.analysis.conversation_list import conversation_table
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.scores_charts import draw_breakdown, draw_effort, draw_overview, draw_scenarios, draw_trend
from pages.results.scores_conversations import show_conversations
from pages.results.scores_problems import show_problems
from pages.results.scores_view import RunView


def draw_section(view: RunView) -> None:
    names = {name: t(f"scores.section_{name}") for name in SECTIONS}
    label = t("scores.sections")
    chosen = choose_in_url(
        "section", label, names, control="segmented_control", label_visibility="collapsed", required=True
    )
    SECTIONS[chosen](view)


def draw_conversations(view: RunView) -> None:
    chosen = (view.main_criterion, view.judge, view.lower_is_better)
    table = view.cached("table", lambda: conversation_table(view.frame, view.conversations, *chosen))
    show_conversations(table, view)
    show_problems(view)


SECTIONS: dict[str, Callable[[RunView], None]] = {
    "overview": draw_overview,
    "breakdown": draw_breakdown,
    "scenarios": draw_scenarios,
    "conversations": draw_conversations,
    "effort": draw_effort,
    "runs": draw_trend,
}
