"""A turn to label: the conversation so far, the reply, its passages and the reference, and no verdict at all."""

from __future__ import annotations

import streamlit as st

from core.analysis.reviews import is_chats
from core.base.types import Sample
from core.store.rows import ConversationRow, TurnRow
from core.store.store import Store
from pages.components.message import BOT_ICON, draw_passage, draw_user_message, reply_text
from pages.components.plain_text import line, plain
from pages.components.url_choice import share_address
from pages.i18n.translate import t


def draw_turn(store: Store, pool: str, conversation: str, turn_id: int) -> TurnRow:
    """Draw the conversation up to the turn with what a reviewer needs; gives the turn."""
    turns = store.chats.turns(conversation) if is_chats(pool) else store.conversations.turns(conversation)
    row = next(turn for turn in turns if turn.id == turn_id)
    before = [turn for turn in turns if turn.number < row.number]
    for turn in before:
        draw_user_message(turn.user_text)
        with st.chat_message("assistant", avatar=BOT_ICON):
            st.markdown(reply_text(turn.reply_text))
    if before:
        st.caption(t("transcripts.turn", n=row.number))
    draw_user_message(row.user_text)
    with st.chat_message("assistant", avatar=BOT_ICON):
        st.markdown(reply_text(row.reply_text) or f":gray[{t('transcripts.empty_answer')}]")
    _show_passages(row)
    _show_reference(store.conversations.get(conversation), row.sample)
    return row


def show_share(bot: str, run: str, turn_id: int) -> None:
    """A link to the turn, without the reviewer's name."""
    with st.popover(t("transcripts.share"), icon=":material/link:", key="label-share"):
        st.caption(t("label.share_lead"))
        address = share_address(st.context.url, "label", bot=bot, run=run, turn=turn_id)
        st.code(address, language=None, wrap_lines=True)


def _show_passages(row: TurnRow) -> None:
    """Show what the bot found, all passages at hand."""
    if row.turn:
        passages = row.turn.passages
        texts = None if passages is None else [(passage.label, passage.text) for passage in passages]
    else:
        texts = [("", text) for text in row.sample.contexts] if row.sample else []
    if texts is None:
        st.caption(t("label.passages_unknown"))
        return
    if not texts:
        return
    with st.expander(t("label.passages", n=len(texts)), icon=":material/menu_book:", type="compact"):
        for number, (title, text) in enumerate(texts, 1):
            st.markdown(f"**\\[{number}\\] {line(title, 90)}**")
            draw_passage(text)


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
