"""One message to two versions: the two conversations side by side, each stored as a chat of its own."""

from __future__ import annotations

from itertools import zip_longest
from typing import NamedTuple

import streamlit as st

from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Bot, Clarify
from core.bot.turn import check_message
from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.message import bot_says, person_says, reply_text
from pages.components.plain_text import plain
from pages.components.services import services
from pages.i18n.translate import stored_error_text, t

KEPT, NEWS = "versions-kept", "versions-news"
FACE = ":material/support_agent:"


class Side(NamedTuple):
    """A column: where its chat is kept in the address, its letter and name, the bot, and what speaks for it."""

    place: str
    title: str
    bot: Bot
    engine: Engine


def rows_of(store: Store, side: Side) -> list[TurnRow]:
    """What was said in the side's chat; nothing where the address names none, or one that is not this bot's."""
    chat = st.query_params.get(side.place, "")
    known = store.chats.get(chat) if chat else None
    return store.chats.turns(chat) if known and known.bot == side.bot.id else []


def send(store: Store, sides: tuple[Side, Side], text: str) -> bool:
    """Give a message to both; false, and kept, where it cannot be used (then neither gets it)."""
    st.session_state[KEPT] = text
    with show_errors():
        check_message(text)
        if any(services().chats.reply(st.query_params.get(side.place, "")) for side in sides):
            raise BadInput(
                "The bot is still replying in this chat. Send the message again when it is done.", "chat_busy"
            )
        for side in sides:
            _send(store, side, text)
        del st.session_state[KEPT]
        return True
    return False


def _send(store: Store, side: Side, text: str) -> None:
    profile = store.chats.profile()
    if not rows_of(store, side):
        st.query_params[side.place] = store.chats.create(side.bot.id, profile)
    services().chats.send(st.query_params[side.place], side.bot, text, profile, side.engine)


def exchanges(store: Store, sides: tuple[Side, Side]) -> None:
    """Message by message, with both replies beside each other (on a telephone below each other)."""
    both = list(zip_longest(*(rows_of(store, side) for side in sides)))
    for number, pair in enumerate(both, 1):
        person_says(next(row.user_text for row in pair if row))
        for side, row, column in zip(sides, pair, st.columns(2, gap="medium"), strict=True):
            with column:
                st.caption(side.title)
                with st.chat_message("assistant", avatar=FACE):
                    _reply(store, side, row, number == len(both))
    if st.session_state.pop(NEWS, False):
        st.rerun()  # both have replied: once more with sources and reasons
    if both:
        _choices(store, sides, [row for row in both[-1] if row])


def _reply(store: Store, side: Side, row: TurnRow | None, last: bool) -> None:
    if row is None:
        st.markdown(f":gray[{t('versions.not_sent')}]")
    elif row.turn:
        bot_says(row.turn)
        st.caption(t("common.seconds", seconds=f"{row.seconds:.1f}"))
    else:
        _pending(store, side, row, last)


def _pending(store: Store, side: Side, row: TurnRow, last: bool) -> None:
    """The reply as it comes; else why there is none, with the way to try again."""
    chat = st.query_params.get(side.place, "")
    reply = services().chats.reply(chat)
    if reply is not None:
        place, text = st.empty(), ""
        place.caption(f":material/progress_activity: {t('chat.thinking')}")
        for piece in reply.pieces():
            text += piece
            place.markdown(reply_text(text))
        st.session_state[NEWS] = True
        return
    if not row.error and any(now.id == row.id and now.turn for now in store.chats.turns(chat)):
        st.rerun()  # it came between two looks
    st.warning(
        t("chat.failed", error=plain(stored_error_text(row.error) or t("chat.cut_off"))), icon=":material/error:"
    )
    if last:
        st.button(
            t("chat.retry"), f"again-{row.id}", icon=":material/refresh:", on_click=_again, args=(store, side, row)
        )


def _again(store: Store, side: Side, row: TurnRow) -> None:
    with show_errors():
        store.chats.drop_turn(row.id)
        _send(store, side, row.user_text)


def _choices(store: Store, sides: tuple[Side, Side], rows: list[TurnRow]) -> None:
    """What the questions back of both offer; one click answers both."""
    replies = [row.turn.reply for row in rows if row.turn]
    offered = [text for reply in replies if isinstance(reply, Clarify) for text in reply.choices]
    if not offered:
        return
    st.caption(t("versions.choices"))
    with st.container(horizontal=True, gap="small"):
        for number, text in enumerate(dict.fromkeys(offered)):
            mark = f"choice-{rows[0].id}-{number}"
            st.button(plain(text), key=mark, on_click=send, args=(store, sides, text))
