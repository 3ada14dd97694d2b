"""One message to two versions of a bot, side by side; keep B where it is better."""

from __future__ import annotations

import streamlit as st

from pages.components.answering_engine import answering_engine, answering_external_bot
from pages.components.appearance import heading
from pages.components.bot_picker import choose_bot
from pages.components.plain_text import plain
from pages.components.services import need_store, services
from pages.components.session import engine
from pages.i18n.translate import t
from pages.talk.second_version import begin_anew, differing, other_version
from pages.talk.two_chats import KEPT, Side, exchanges, rows_of, send

store = need_store()
top, bot = choose_bot()
heading(t("versions.title", bot=plain(bot.name)), t("versions.lead"), place=top)
other = other_version(store, bot)
if other is None:
    st.stop()
sides = (
    Side("left", t("versions.side_a"), bot, engine()),
    Side("right", t("versions.side_b", name=plain(other.name, links=False)), other.bot, other.engine),
)
started = any(rows_of(store, side) for side in sides)
with st.container(horizontal=True, gap="small", vertical_alignment="center"):
    st.button(t("chat.new"), icon=":material/add_comment:", disabled=not started, on_click=begin_anew)
    if other.bot == bot:
        st.caption(t("versions.same"), width="content")
    elif names := differing(bot, other):
        st.caption(t("versions.differs", names=plain(names, links=False)), width="content")
outside = [answering_external_bot(each) for each in (bot, other.bot) if each.outside]
own = [] if bot.outside and other.bot.outside else [answering_engine(roles=("bot", "clarify"))]
st.caption(":material/info: " + "  \n".join(dict.fromkeys([*outside, *own])))
if not services().ready and own:
    st.caption(f":material/hourglass_top: {t('chat.not_ready')}")
talk = st.container()
text = st.chat_input(t("versions.input"), key=f"versions-{bot.id}", submit_mode="disable")
if text is not None and send(store, sides, text):
    st.rerun()
if kept := st.session_state.get(KEPT):
    st.text_area(t("chat.unsent_text"), kept)
with talk:
    if not started and bot.samples:
        st.caption(t("chat.samples"))
        with st.container(horizontal=True, gap="small"):
            for number, sample in enumerate(bot.samples):
                st.button(plain(sample), key=f"sample-{number}", on_click=send, args=(store, sides, sample))
    exchanges(store, sides)
