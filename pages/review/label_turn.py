"""A turn to label: the conversation with passages and reference, the label keys, then the labels of others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import streamlit as st

from core.agreement.thresholds import says_yes
from core.analysis.formatting import NO_VALUE
from core.analysis.label_pools import PoolTurns, is_chats, threshold_of
from core.analysis.names import criterion_name, judge_name
from core.base.types import Bot, Sample
from core.chats.chats import judge_chat_turns
from core.judges.turn.verdict import CRITERIA
from core.simulation.scenarios import save_scenario
from core.store.labels import OPEN, TurnLabel, Verdict
from core.store.rows import ConversationRow, TurnRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.message import draw_exchange, draw_passage, draw_verdicts, passage_name
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance
from pages.components.session import engine
from pages.components.widgets import action_button
from pages.i18n.translate import language, t

VERDICTS: tuple[tuple[Verdict, str, str, str], ...] = (
    ("yes", "yes", "Y", "check"),
    ("no", "no", "N", "close"),
    ("", "cannot_say", "D", "question_mark"),
)


class Labelling:
    """One reviewer's way through the turns of a run, in the order of labelling."""

    def __init__(self, store: Store, pool: str, reviewer: str, order: Sequence[int]) -> None:
        self.store, self.pool, self.reviewer, self.order = store, pool, reviewer, order
        self.places = {turn: place for place, turn in enumerate(order)}
        self.labelled = store.labels.labelled(pool, reviewer)

    @cached_property
    def left(self) -> list[int]:
        """The turns without the reviewer's verdict, in order."""
        return [turn for turn in self.order if turn not in self.labelled]

    def next_open(self, after: int | None = None) -> int:
        """The next turn without a verdict, from the start again at the end; the next turn at all if all have one."""
        place = self.places.get(after, -1) if after is not None else -1
        if self.left:
            return next((turn for turn in self.left if self.places[turn] > place), self.left[0])
        return self.order[(place + 1) % len(self.order)]

    def before(self, turn: int) -> int:
        """The turn before in the order."""
        return self.order[(self.places[turn] - 1) % len(self.order)]


def go_to(turn: int) -> None:
    """Show a turn; it is in the address, so that a reload shows it again."""
    st.query_params["turn"] = str(turn)


def verdict_name(verdict: Verdict) -> str:
    return next((t(f"label.{name}") for value, name, _, _ in VERDICTS if value == verdict), NO_VALUE)


def show_answer_keys(work: Labelling, label: TurnLabel) -> None:
    with st.container(horizontal=True, gap="small"):
        for verdict, name, key, icon in VERDICTS:
            options: dict[str, Any] = {"key": f"verdict-{name}", "shortcut": key}
            options["type"] = "primary" if label.verdict == verdict else "secondary"
            action_button(t(f"label.{name}"), icon, _give, work, label, verdict, **options)


def show_moves(work: Labelling, turn: int) -> None:
    name, icon = ("next", "arrow_forward") if turn in work.labelled else ("skip", "skip_next")
    before, after = work.before(turn), work.next_open(turn)
    with st.container(horizontal=True, gap="small"):
        action_button(t("label.previous"), "arrow_back", go_to, before, key="move-previous", shortcut="Left")
        action_button(t(f"label.{name}"), icon, go_to, after, key="move-next", shortcut="Right")
        action_button(t("common.undo"), "undo", _undo, work, key="move-undo", shortcut="Z")
    st.caption(t("label.keys"))


def _give(work: Labelling, label: TurnLabel, verdict: Verdict) -> None:
    """Store a verdict; one that is changed after the judges' verdicts were seen is not blind."""
    stored = work.store.labels.get(label.turn_id, label.reviewer)
    if stored.verdict == verdict:
        return
    blind = stored.blind and stored.verdict == OPEN
    work.store.labels.save(stored.model_copy(update={"verdict": verdict, "blind": blind, "created_at": None}))


def _undo(work: Labelling) -> None:
    turn = work.store.labels.undo(work.reviewer, work.pool)
    if turn is None:
        st.toast(t("label.undone_nothing"), icon=":material/info:")
    else:
        go_to(turn)


GRADED = tuple(name for name in CRITERIA if name != "overall")[:5]


def draw_turn(store: Store, pool: str, conversation: str, turn_id: int) -> TurnRow:
    """Draw the conversation up to the turn with what a reviewer needs. Returns the turn."""
    if is_chats(pool):
        turns = store.chats.turns(conversation)
    else:
        turns = store.conversations.turns(conversation, store.tables.of_run(pool).chosen_versions())
    row = next(turn for turn in turns if turn.id == turn_id)
    before = [turn for turn in turns if turn.number < row.number]
    for turn in before:
        draw_exchange(turn.user_text, turn.reply_text)
    if before:
        st.caption(t("transcripts.turn", n=row.number))
    draw_exchange(row.user_text, row.reply_text)
    _show_passages(row)
    _show_reference(store.conversations.get(conversation), row.sample)
    return row


def _show_passages(row: TurnRow) -> None:
    """Show what the bot found, all passages at hand."""
    passages = row.passages
    if passages is None and row.turn:
        st.caption(t("label.passages_unknown"))
    if not passages:
        return
    with st.expander(t("label.passages", n=len(passages)), icon=":material/menu_book:", type="compact"):
        for number, passage in enumerate(passages, 1):
            st.markdown(f"**{passage_name(number, passage)}**")
            draw_passage(passage.text)


def _show_reference(row: ConversationRow | None, sample: Sample | None) -> None:
    """Show the reference answer and what the user really wanted, which the bot did not see."""
    references = list(sample.reference) if sample else []
    if row and row.scenario.reference:
        references.append(row.scenario.reference)
    intent = row.scenario.intent if row else ""
    if not references and not intent:
        st.caption(t("label.no_reference"))
        return
    with st.container(border=True):
        st.caption(t("label.reference"))
        for text in dict.fromkeys(references):
            st.markdown(plain(text))
        if intent:
            st.markdown(f"{t('scenarios.intent')}{t('common.colon')}{plain(intent)}")


def show_verdicts(store: Store, bot: Bot, row: TurnRow, label: TurnLabel, turns: PoolTurns) -> None:
    """What judges and other reviewers say; nothing of it before the reviewer's own verdict."""
    if label.verdict == OPEN:
        return
    st.markdown(t("label.yours", label=verdict_name(label.verdict)))
    for other in store.labels.of_turn(row.id):
        if other.reviewer != label.reviewer and other.verdict != OPEN:
            text = t("label.others_said", name=plain(other.reviewer), label=verdict_name(other.verdict))
            st.markdown(f":material/person: {text}")
    place = turns.ids.index(row.id)
    for judge, values in turns.values.items():
        if values[place] == values[place]:
            _show_judge(judge, says_yes(values[place], threshold_of(judge), judge in turns.lower_judges), label)
    if row.scores:
        st.caption(t("label.judges_said"))
        draw_verdicts(row.scores, row.repeats)
        if run := store.runs.get(turns.pool):
            show_provenance(store, run)
        return
    st.caption(t("label.no_verdict"))
    if is_chats(turns.pool) and st.button(t("label.judge_now"), icon=":material/gavel:", shortcut="J", key="judge-now"):
        with show_errors():
            judge_chat_turns(store, engine(), [(bot.id, row.conversation_id, row.id)], language())
            st.rerun()


def show_grades(store: Store, label: TurnLabel) -> None:
    """Five criteria, 1 to 5: a number key grades the marked one and moves to the next."""
    with st.container(border=True):
        st.caption(t("label.grades"), help=t("label.grades_help"))
        current = _criterion_to_grade(label)
        for name in GRADED:
            grade, bold = label.grades.get(name), "**" if name == current else ""
            shown = f"{grade} / 5" if grade else f":gray[{t('label.not_graded')}]"
            st.markdown(f"{bold}{criterion_name(name, t)}{bold}　{shown}")
        st.caption(t("label.grade_of", criterion=criterion_name(current, t)))
        with st.container(horizontal=True, gap="small"):
            for grade in range(1, 6):
                args = (store, label, current, grade)
                st.button(str(grade), f"grade-{grade}", shortcut=str(grade), on_click=_grade, args=args)


def show_texts(store: Store, bot: Bot, conversation: str, label: TurnLabel) -> None:
    """A comment and the corrected answer, which can become the scenario's reference."""
    with st.form(f"texts-{label.turn_id}-{label.reviewer}", border=False):
        comment = st.text_area(t("label.comment"), label.comment, height=70, key=f"comment-{label.turn_id}")
        corrected = st.text_area(t("label.corrected"), label.corrected, height=90, key=f"corrected-{label.turn_id}")
        pressed = st.form_submit_button(t("label.save_texts"), icon=":material/save:", help=t("label.save_help"))
    if pressed:
        stored = store.labels.get(label.turn_id, label.reviewer)
        store.labels.save(stored.model_copy(update={"comment": comment.strip(), "corrected": corrected.strip()}))
        st.toast(t("label.saved"), icon=":material/check:")
    row = store.conversations.get(conversation)
    answer = corrected.strip() or label.corrected
    if not answer or row is None or not row.scenario.id or row.scenario.reference == answer:
        return
    if st.button(t("label.to_reference"), icon=":material/flag:", key="to-reference"):
        with show_errors():
            saved = save_scenario(bot, row.scenario.model_copy(update={"reference": answer}), replace=True)
            st.success(t("label.to_reference_done", id=plain(saved.id)), icon=":material/check:")


def _show_judge(judge: str, yes: bool, label: TurnLabel) -> None:
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
    stored = store.labels.get(label.turn_id, label.reviewer)
    store.labels.save(stored.model_copy(update={"grades": {**stored.grades, criterion: grade}}))
    following = GRADED[(GRADED.index(criterion) + 1) % len(GRADED)]
    st.session_state["label-criterion"] = (label.turn_id, following)
