"""One message to two versions of a bot, side by side; keep B where it is better."""

from __future__ import annotations

import streamlit as st

from pages.shared.draw import choose_bot, heading, plain, speaker
from pages.shared.outside import speaks_outside
from pages.shared.services import house, need_store
from pages.shared.session import engine
from pages.shared.versions.other import begin_anew, differing, other_version
from pages.shared.versions.talk import KEPT, Side, exchanges, rows_of, send
from pages.shared.words import say

store = need_store()
top, bot = choose_bot()
heading(say("versions.title", bot=plain(bot.name)), say("versions.lead"), place=top)
other = other_version(store, bot)
if other is None:
    st.stop()
sides = (
    Side("left", say("versions.side_a"), bot, engine()),
    Side("right", say("versions.side_b", name=plain(other.name, links=False)), other.bot, other.engine),
)
started = any(rows_of(store, side) for side in sides)
with st.container(horizontal=True, gap="small", vertical_alignment="center"):
    st.button(say("chat.new"), icon=":material/add_comment:", disabled=not started, on_click=begin_anew)
    if other.bot == bot:
        st.caption(say("versions.same"), width="content")
    elif names := differing(bot, other):
        st.caption(say("versions.differs", names=plain(names, links=False)), width="content")
outside = [speaks_outside(each) for each in (bot, other.bot) if each.outside]
own = [] if bot.outside and other.bot.outside else [speaker(roles=("bot", "clarify"))]
st.caption(":material/info: " + "  \n".join(dict.fromkeys([*outside, *own])))
if not house().ready and own:
    st.caption(f":material/hourglass_top: {say('chat.not_ready')}")
talk = st.container()
text = st.chat_input(say("versions.input"), key=f"versions-{bot.id}", submit_mode="disable")
if text is not None and send(store, sides, text):
    st.rerun()
if kept := st.session_state.get(KEPT):
    st.text_area(say("chat.kept"), kept)
with talk:
    if not started and bot.samples:
        st.caption(say("chat.samples"))
        with st.container(horizontal=True, gap="small"):
            for number, sample in enumerate(bot.samples):
                st.button(plain(sample), key=f"sample-{number}", on_click=send, args=(store, sides, sample))
    exchanges(store, sides)
