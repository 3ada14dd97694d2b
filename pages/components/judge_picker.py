"""Judges on the pages: their names, a list to choose from, and a judging under way."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.base.types import Bot
from core.charts.names import criterion_name
from core.judges.registry import Listed, all_judges, lower_is_better
from core.runs.rejudge import Judging
from pages.components.plain_text import plain
from pages.components.session import uses_model
from pages.i18n.translate import language, t, words

__all__ = ["criterion_words", "judge_label", "judge_options", "lower_is_better", "pick_judges", "watch_judging"]
QUIZ = ("qa", "context_qa", "cot_qa")


def judge_label(name: str) -> str:
    """A judge in a list: what the pages call it; a criterion with the kind of judge before it."""
    if f"judges.{name}" in words():
        return t(f"judges.{name}")
    family, _, criterion = name.partition(":")
    if f"judges.{family}" in words():
        return f"{t(f'judges.{family}')}: {criterion_name(criterion, t)}"
    return name


def criterion_words(name: str) -> str:
    """A criterion as the pages call it; one of the owner's own goes by its name."""
    return criterion_name(name, t)


def pick_judges(bot: Bot, key: str, chosen: Sequence[str] = ("turn",)) -> tuple[str, ...]:
    """The judges that shall score; those that need a model say so while none speaks."""
    listed = {one.judge.name: one for one in all_judges(bot)}
    names = st.multiselect(
        t("judging.judges"),
        list(listed),
        format_func=lambda name: _told(listed[name]),
        placeholder=t("common.choose"),
        key=_carried(key, [name for name in chosen if name in listed]),
        help=t("judging.judges_help"),
        select_all=False,
    )
    st.session_state[f"{key}-kept"] = names
    _notes([listed[name] for name in names])
    return tuple(names)


def _carried(key: str, chosen: list[str]) -> str:
    """The field's key: one for each language (the browser keeps the words of what is chosen), the choice carried over."""
    field, spoken = f"{key}-{language()}", f"{key}-language"
    if field not in st.session_state or st.session_state.get(spoken) != language():
        st.session_state[field] = st.session_state.get(f"{key}-kept", chosen)
        st.session_state[spoken] = language()
    return field


def judge_options(names: Sequence[str], key: str) -> dict[str, bool]:
    """How the chosen judges judge (`core.judges.base.How`), asked only where it matters."""
    found = {"strict": False, "together": True}
    if any(name in QUIZ for name in names):
        found["strict"] = st.toggle(t("judging.strict"), key=f"{key}-strict", help=t("judging.strict_help"))
    if sum(":" in name for name in names) > 1:
        found["together"] = not st.toggle(t("judging.alone"), key=f"{key}-alone", help=t("judging.alone_help"))
    return found


def _told(one: Listed) -> str:
    label = judge_label(one.judge.name)
    return label if not one.judge.needs_model or uses_model() else f"{label} ({t('judging.needs_model')})"


def _notes(chosen: Sequence[Listed]) -> None:
    """What the chosen judges need, and what is wrong with those that cannot be used."""
    for one in chosen:
        if one.problem:
            st.warning(f"{plain(one.judge.name)}: {plain(one.problem)}", icon=":material/error:")
    if not uses_model() and (names := [judge_label(one.judge.name) for one in chosen if one.judge.needs_model]):
        st.info(t("judging.will_be_unscored", names=plain("、".join(names))), icon=":material/info:")


def watch_judging(job: Judging, stop: str) -> None:
    """How far a judging is, looked at again every second while it goes on."""

    @st.fragment(run_every=None if job.over.is_set() else 1.0)
    def draw() -> None:
        st.progress(job.done / job.total if job.total else 1.0, t("judging.progress", done=job.done, total=job.total))
        if job.over.is_set():
            st.rerun()
        st.button(t("batch.stop"), icon=":material/stop:", key=stop, on_click=job.stopped.set)

    draw()
