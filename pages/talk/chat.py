"""Talk to a bot; see why it asked or searched, and where an answer comes from."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.base.types import Bot
from core.store.rows import TurnRow
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.message import bot_message, draw_bot_message, draw_user_message
from pages.components.plain_text import plain
from pages.components.services import need_store, services
from pages.components.session import answering_engine, answering_external_bot, engine
from pages.components.widgets import action_button
from pages.i18n.translate import t
from pages.talk.conversation import prepare_search, show_message_buttons, show_no_reply, show_reply
from pages.talk.feedback import show_feedback_buttons
from pages.talk.toolbar import show_toolbar

UNSENT = "chat-unsent"
store = need_store()


def send(bot: Bot, chat_id: str, text: str) -> None:
    """Send a message to the bot (the first one begins a new chat); one that cannot be sent stays as unsent."""
    st.session_state[UNSENT] = (bot.id, text)
    with show_errors():
        profile = store.chats.profile()
        chat_engine = engine()
        chat_id = chat_id or store.chats.create(bot.id, profile)
        services().chats.send(chat_id, bot, text, profile, chat_engine)
        st.query_params["chat"] = chat_id
        del st.session_state[UNSENT]


def show_unsent(bot: Bot) -> None:
    """Show the message that could not be sent, until another one is sent."""
    bot_id, text = st.session_state.get(UNSENT, ("", ""))
    if bot_id == bot.id:
        st.text_area(t("chat.unsent_text"), text)


def current_chat(bot: Bot) -> str:
    """The id of the chat in the address; "" for a new chat. An unknown id is reported."""
    chat_id = st.query_params.get("chat", "")
    stored = store.chats.get(chat_id) if chat_id else None
    if chat_id and (stored is None or stored.bot != bot.id):
        st.info(t("chat.unknown_chat"), icon=":material/info:")
        del st.query_params["chat"]
        return ""
    return chat_id


def draw_greeting(bot: Bot) -> None:
    bot_message().markdown(plain(bot.greeting))
    show_message_buttons("chat.samples", bot.samples, "sample", partial(send, bot, ""), box="samples")


def show_choices(bot: Bot, chat_id: str, row: TurnRow) -> None:
    if row.turn is None or not row.turn.reply.choices:
        return
    goes_on = row.turn.reply.kind == "answer" and bool(row.turn.reply.cited)
    label, key = "chat.related" if goes_on else "chat.choices", f"choice-{row.id}"
    show_message_buttons(label, row.turn.reply.choices, key, partial(send, bot, chat_id), box="choices")


def draw_exchange(bot: Bot, chat_id: str, row: TurnRow, last: bool) -> None:
    """Draw a message and its reply, or why there is none."""
    draw_user_message(row.user_text)
    with bot_message():
        if row.turn:
            draw_bot_message(row.turn)
            if last:
                show_choices(bot, chat_id, row)
            show_feedback_buttons(store, row)
            return
        if reply := services().chats.reply(chat_id):
            show_reply(reply)
            st.rerun()  # to draw sources and reasons
        show_no_reply(store, row)
        if last:
            action_button(t("chat.retry"), "refresh", retry, bot, chat_id, row)


def retry(bot: Bot, chat_id: str, row: TurnRow) -> None:
    """Send a message once more in the place of the one without a reply."""
    store.chats.drop_turn(row.id)
    send(bot, chat_id, row.user_text)


top, bot = choose_bot()
heading(t("chat.title", bot=plain(bot.name)), place=top)
chat_id = current_chat(bot)
rows = store.chats.turns(chat_id) if chat_id else []
show_toolbar(store, bot, rows)
st.caption(f":material/info: {answering_external_bot(bot) or answering_engine(roles=('bot', 'clarify'))}")
prepare_search([bot], rows)
messages = st.container()
# Drawn before the messages: following a reply ends in a rerun, which would drop what was typed meanwhile.
text = st.chat_input(t("chat.input", bot=bot.name), key=f"message-{bot.id}", submit_mode="disable")
if text is not None:
    send(bot, chat_id, text)
    if UNSENT not in st.session_state:
        st.rerun()
show_unsent(bot)
with messages:
    if not rows:
        draw_greeting(bot)
    for number, row in enumerate(rows, 1):
        draw_exchange(bot, chat_id, row, number == len(rows))
