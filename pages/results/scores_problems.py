"""What failed in a run, and which turns are not scored."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.analysis.conversation_list import criterion_rows
from pages.components.plain_text import plain
from pages.i18n.translate import stored_error_text, t
from pages.results.scores_view import RunView

MAX_PROBLEMS = 20  # problems listed before "and n more"


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
