"""Beside a turn on the label page: grades, texts, and once it is labelled what judges and other reviewers say."""

from __future__ import annotations

import streamlit as st

from core.analysis.names import criterion_name, judge_name
from core.analysis.reviews import ReviewTurns, is_chats
from core.base.settings import settings
from core.base.types import Bot
from core.judges.turn.verdict import CRITERIA
from core.runs.judging.chat_turns import judge_chat_turn
from core.simulation.scenarios import freeze
from core.store.reviews import OPEN, TurnLabel
from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.message import draw_verdicts
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance
from pages.components.session import engine
from pages.i18n.translate import language, t
from pages.review.label_actions import verdict_name

GRADED = tuple(name for name in CRITERIA if name != "overall")[:5]


def show_verdicts(store: Store, bot: Bot, pool: str, row: TurnRow, label: TurnLabel, turns: ReviewTurns) -> None:
    """What judges and other reviewers say; nothing of it before the reviewer's own verdict."""
    if label.verdict == OPEN:
        return
    st.markdown(t("label.yours", label=verdict_name(label.verdict)))
    for other in store.reviews.of_turn(row.id):
        if other.reviewer != label.reviewer and other.verdict != OPEN:
            text = t("label.others_said", name=plain(other.reviewer), label=verdict_name(other.verdict))
            st.markdown(f":material/person: {text}")
    place = turns.ids.index(row.id)
    for judge, values in turns.values.items():
        if values[place] == values[place]:
            _show_judge(judge, turns.says_yes(judge, values[place]), label)
    if row.scores:
        st.caption(t("label.judges_said"))
        draw_verdicts(row.scores, settings().alert_mark, row.repeats)
        if run := store.runs.get(pool):
            show_provenance(store, run)
        return
    st.caption(t("label.no_verdict"))
    if is_chats(pool) and st.button(t("label.judge_now"), icon=":material/gavel:", shortcut="J", key="judge-now"):
        with show_errors():
            judge_chat_turn(store, bot, engine(), row.conversation_id, row.id, language())
            st.rerun()


def show_grades(store: Store, label: TurnLabel) -> None:
    """Five criteria, 1 to 5: a number key grades the marked one and moves to the next."""
    with st.container(border=True):
        st.caption(t("label.grades"), help=t("label.grades_help"))
        current = _criterion_to_grade(label)
        for name in GRADED:
            grade = label.grades.get(name)
            shown = criterion_name(name, t)
            dots = f"{'●' * grade}{'○' * (5 - grade)} {grade}" if grade else "○○○○○"
            st.markdown(f"{'**' if name == current else ''}{shown}{'**' if name == current else ''}　{dots}")
        st.caption(t("label.grade_of", criterion=criterion_name(current, t)))
        with st.container(horizontal=True, gap="small"):
            for grade in range(1, 6):
                st.button(
                    str(grade), shortcut=str(grade), key=f"grade-{grade}",
                    on_click=_grade, args=(store, label, current, grade),
                )  # fmt: skip


def show_texts(store: Store, bot: Bot, conversation: str, label: TurnLabel) -> None:
    """A comment and the corrected answer, which can become the scenario's reference."""
    with st.form(f"texts-{label.turn_id}-{label.reviewer}", border=False):
        comment = st.text_area(t("label.comment"), label.comment, height=70, key=f"comment-{label.turn_id}")
        corrected = st.text_area(t("label.corrected"), label.corrected, height=90, key=f"corrected-{label.turn_id}")
        pressed = st.form_submit_button(t("label.save_texts"), icon=":material/save:", help=t("label.save_help"))
    if pressed:
        stored = store.reviews.get(label.turn_id, label.reviewer)
        store.reviews.save(stored.model_copy(update={"comment": comment.strip(), "corrected": corrected.strip()}))
        st.toast(t("label.saved"), icon=":material/check:")
    row = store.conversations.get(conversation)
    answer = corrected.strip() or label.corrected
    if not answer or row is None or not row.scenario.id or row.scenario.reference == answer:
        return
    if st.button(t("label.to_reference"), icon=":material/flag:", key="to-reference"):
        with show_errors():
            saved = freeze(bot, row.scenario.model_copy(update={"reference": answer}), replace=True)
            st.success(t("label.to_reference_done", id=plain(saved.id)), icon=":material/check:")


def _show_judge(judge: str, yes: bool, label: TurnLabel) -> None:
    """Whether a judge agrees with the reviewer."""
    words = {"judge": plain(judge_name(judge, t)), "label": verdict_name("yes" if yes else "no")}
    if label.verdict == "":
        st.markdown(f":material/gavel: {t('label.judge_neutral', **words)}")
    elif (label.verdict == "yes") == yes:
        st.markdown(f":green[:material/check:] {t('label.agrees', **words)}")
    else:
        st.markdown(f":orange[:material/difference:] {t('label.differs', **words)}")


def _criterion_to_grade(label: TurnLabel) -> str:
    """The criterion that the next number key grades: the first without a grade after the last one graded."""
    chosen = st.session_state.get("label-criterion", ("", ""))
    if chosen[0] == label.turn_id:
        return str(chosen[1])
    return next((name for name in GRADED if name not in label.grades), GRADED[0])


def _grade(store: Store, label: TurnLabel, criterion: str, grade: int) -> None:
    stored = store.reviews.get(label.turn_id, label.reviewer)
    store.reviews.save(stored.model_copy(update={"grades": {**stored.grades, criterion: grade}}))
    following = GRADED[(GRADED.index(criterion) + 1) % len(GRADED)]
    st.session_state["label-criterion"] = (label.turn_id, following)
