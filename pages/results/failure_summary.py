"""What stands above the list: the bar of causes, and the judges that would tell what is not clear."""

from __future__ import annotations

import streamlit as st

from core.analysis.failures.causes import Cause
from core.analysis.failures.entries import Failures, by_cause, judges_for_unclear, judges_to_confirm
from core.base.errors import BadInput
from core.charts.causes import causes_bar
from core.store.records import RunRow
from pages.components.appearance import show_errors
from pages.components.judge_picker import judge_label, watch_judging
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.i18n.translate import error_text, language, t


def cause_name(cause: Cause) -> str:
    """A cause as the page calls it."""
    return t(f"failures.cause_{cause}")


def document_name(document: str, why: str = "") -> str:
    """A document in a list, by its name without the ending of a Markdown file."""
    if document:
        return plain(document, links=False)
    return t("failures.not_written" if why == "unwritten" else "failures.no_document")


def chart(found: Failures) -> None:
    """The bar of causes in a quiet frame."""
    with st.container(border=True):
        st.caption(f"{t('failures.bars')}　{t('failures.how')}")
        st.plotly_chart(
            causes_bar(by_cause(found.turns), t),
            config={"displayModeBar": False},
            alt=t("failures.bars"),
            key="chart-causes",
        )


def more_judges(run: RunRow, found: Failures) -> None:
    """How many causes are not clear, which judges would tell, and a button that lets them score the run."""
    job = services().judgings.get(run.id)
    if job and job.running:
        watch_judging(job, f"stop-fix-{run.id}")
        return
    if job and job.error:
        st.error(plain(error_text(job.error)), icon=":material/error:")
    unclear = sum(turn.named.cause in ("unclear", "unknown") for turn in found.turns)
    unsure = sum(turn.named.by == "words" and bool(turn.named.tell) for turn in found.turns)
    names = judges_for_unclear(found.turns) or judges_to_confirm(found.turns)
    if not names:
        if unclear:
            st.info(t("failures.would_tell_reference", n=unclear), icon=":material/help:")
        return
    key, n = ("would_tell", unclear) if judges_for_unclear(found.turns) else ("would_assure", unsure)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="would-tell"):
        st.markdown(t(f"failures.{key}", n=n, judges=judge_names(names)))
        if st.button(t("failures.let_judge"), icon=":material/gavel:", key="fix-judge"):
            with show_errors():
                start(run, names)
    if uses_model():
        st.caption(t("failures.let_judge_model", n=len(names)))


def start(run: RunRow, names: tuple[str, ...]) -> None:
    """Let judges score a run in the background; raises BadInput where they cannot begin."""
    if services().store.run(run.id) is None:
        raise BadInput(f"There is no run {run.id!r}.", "unknown_run", id=run.id)
    services().judgings.rejudge(run.id, names, {"language": language()}, engine())
    st.rerun()


def judge_names(names: tuple[str, ...]) -> str:
    """Judges as the pages call them, in one string."""
    return plain(t("common.comma").join(judge_label(name) for name in names))
