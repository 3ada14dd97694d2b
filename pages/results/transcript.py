"""One conversation: its turns with sources, reasons, times and scores, and links to the next and previous one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.analysis.conversation_list import ListedConversation
from core.analysis.formatting import percent, seconds_text
from core.store.rows import ConversationRow, RunRow, TurnRow
from pages.components.appearance import ending_text, local_time
from pages.components.links import calls_link, scores_link
from pages.components.message import (
    bot_message,
    draw_bot_message,
    draw_numbered_passage,
    draw_reply,
    draw_user_message,
    draw_verdicts,
)
from pages.components.plain_text import line, plain
from pages.components.services import need_store
from pages.components.url_choice import set_in_url, show_share_link
from pages.components.widgets import action_button
from pages.i18n.translate import stored_error_text, t, words
from pages.results.hidden_facts import show_facts
from pages.results.simulator_health import show_user_faults

SCENARIO_FIELDS = ("intent", "facts", "reference")


def transcript_title(row: ConversationRow, turns: list[TurnRow], score: float | None) -> str:
    """The persona and the conversation's score in the list; for an answer from a file, its id."""
    if any(turn.sample for turn in turns):
        return t("transcripts.of_file", id=plain(row.scenario_id))
    name = plain(row.persona_name)
    if score is None:
        return t("transcripts.finding_unscored", persona=name)
    return t("transcripts.finding", persona=name, score=percent(score))


def draw_transcript(row: ConversationRow, turns: list[TurnRow]) -> None:
    ending = t("transcripts.ended", ending=ending_text(row.ending, row.status))
    parts = [f"#{row.number}", local_time(row.started_at), ending]
    st.caption(" · ".join(plain(part, links=False) for part in parts if part))
    _show_scenario(row)
    show_facts(row, turns)
    if row.error:
        st.warning(t("transcripts.failed", error=plain(stored_error_text(row.error))), icon=":material/error:")
    if not turns:
        st.caption(t("transcripts.no_turns"))
    for turn in turns:
        _draw_turn(turn, row.question if turn.number == 1 else "")
    if row.closing:
        draw_user_message(row.closing)


def _show_scenario(row: ConversationRow) -> None:
    """Show what the simulated user wanted and knew, which the bot did not see."""
    with st.expander(t("transcripts.sheet"), icon=":material/list_alt:", type="compact"):
        st.caption(t("transcripts.sheet_lead"))
        if row.kind:
            st.markdown(f"**{t('scenarios.kind')}**  \n{t(f'kinds.{row.kind}')}")
        for name in SCENARIO_FIELDS:
            if text := getattr(row.scenario, name):
                st.markdown(f"**{t(f'scenarios.{name}')}**  \n{plain(text)}")


def _draw_turn(row: TurnRow, question: str) -> None:
    """Draw both messages of a turn, with sources, reasons, the time of each stage, and the scores of all judges.

    question: the scenario's, under a first message in other words.
    """
    st.caption(t("transcripts.turn", n=row.number))
    draw_user_message(row.user_text)
    if question and row.user_text.strip() != question.strip():
        st.caption(t("transcripts.plain_question", text=line(question, 300)))
    show_user_faults(row.scores)
    with bot_message():
        if row.turn:
            draw_bot_message(row.turn)
            _show_stage_times(row.turn.seconds)
        elif row.sample:
            draw_reply(row.reply_text)
            for number, passage in enumerate(row.passages or (), 1):
                draw_numbered_passage(number, passage)
        else:
            st.warning(plain(stored_error_text(row.error)), icon=":material/error:")
        draw_verdicts(row.scores, row.repeats)


def _show_stage_times(seconds: dict[str, float]) -> None:
    parts = [
        t("transcripts.stage_time", stage=t(f"charts.stage_{name}"), time=seconds_text(value, t))
        for name, value in seconds.items()
        if f"charts.stage_{name}" in words()
    ]
    if parts:
        st.caption(t("decision.time", time=" · ".join(parts)))


def show_navigation(rows: Sequence[ListedConversation], row: ConversationRow, run: RunRow) -> None:
    """Buttons to the previous and next conversation of the list, a link to share, and links to scores and calls."""
    ids = [listed.id for listed in rows]
    index = ids.index(row.id) if row.id in ids else -1
    previous_id = ids[index - 1] if index > 0 else ""
    next_id = ids[index + 1] if index + 1 < len(ids) else ""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        _step_button("previous", "arrow_back", previous_id)
        _step_button("next", "arrow_forward", next_id)
        query = {"bot": run.bot, "run": run.id, "conversation": row.id}
        show_share_link(t("transcripts.share_lead"), "share", "transcripts", **query)
        scores_link(run.bot, run.id, t("transcripts.back"))
        calls_link(row.id, need_store().calls.spending(conversation_id=row.id).calls)


def _step_button(name: str, icon: str, conversation: str) -> None:
    label, key = t(f"transcripts.{name}"), f"step-{name}"
    action = partial(set_in_url, conversation=conversation)
    action_button(label, icon, action, key=key, disabled=not conversation)
