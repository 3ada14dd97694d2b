"""Above the list of what to fix: the chart of causes, and which judges would make unclear causes clear."""

from __future__ import annotations

import streamlit as st

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import Failures, by_cause, judges_for_unclear, judges_to_confirm
from core.analysis.names import judge_name
from core.charts.causes import causes_bar
from core.runs.judging.jobs import JudgingRequest
from core.store.rows import RunRow
from pages.components.appearance import show_errors
from pages.components.judge_picker import show_judging
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.i18n.translate import language, t


def cause_name(cause: Cause) -> str:
    """A cause in words."""
    return t(f"failures.cause_{cause}")


def document_name(document: str, why: str = "") -> str:
    """A document's name, or words for an unknown or missing one."""
    if document:
        return plain(document, links=False)
    return t("failures.not_written" if why == "unwritten" else "failures.no_document")


def draw_cause_chart(failures: Failures) -> None:
    """Draw how many points each cause cost."""
    with st.container(border=True):
        st.caption(f"{t('failures.bars')}　{t('failures.how')}")
        st.plotly_chart(
            causes_bar(by_cause(failures.turns), t).figure,
            config={"displayModeBar": False},
            alt=t("failures.bars"),
            key="chart-causes",
        )


def show_judges_to_add(run: RunRow, failures: Failures) -> None:
    """Show how many causes are unclear, and a button that lets the judges which would clear them up score the run."""
    if show_judging(run.id, "fix"):
        return
    unclear = sum(turn.diagnosis.cause in ("unclear", "unknown") for turn in failures.turns)
    unconfirmed = sum(turn.diagnosis.by == "words" and bool(turn.diagnosis.tell) for turn in failures.turns)
    for_unclear = judges_for_unclear(failures.turns)
    names = for_unclear or judges_to_confirm(failures.turns)
    if not names:
        if unclear:
            st.info(t("failures.would_tell_reference", n=unclear), icon=":material/help:")
        return
    key, n = ("would_tell", unclear) if for_unclear else ("would_assure", unconfirmed)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="judges-to-add"):
        st.markdown(t(f"failures.{key}", n=n, judges=judge_names(names)))
        if st.button(t("failures.let_judge"), icon=":material/gavel:", key="fix-judge"):
            with show_errors():
                _start_judging(run, names)
    if uses_model():
        st.caption(t("failures.let_judge_model", n=len(names)))


def _start_judging(run: RunRow, names: tuple[str, ...]) -> None:
    """Let judges score the run in the background; raises BadInput if the run is gone."""
    services().judgings.rejudge(run.id, JudgingRequest(names, {"language": language()}, engine()))
    st.rerun()


def judge_names(names: tuple[str, ...]) -> str:
    """Several judges in words."""
    return plain(t("common.comma").join(judge_name(name, t) for name in names))
