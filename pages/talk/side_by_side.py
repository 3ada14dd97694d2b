"""One message to two versions of a bot, side by side: choose the better reply, keep B if it is better."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
from typing import NamedTuple

import streamlit as st

from core.analysis.formatting import seconds_text
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Bot
from core.bot.turn import check_message
from core.store.labels import CHAT_REVIEWER, MAX_REVIEWER_NAME, reviewer_name
from core.store.preferences import CHOICES, Choice, Preference
from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.message import bot_message, draw_bot_message, draw_user_message
from pages.components.plain_text import plain
from pages.components.services import need_store, services
from pages.components.session import answering_engine, answering_external_bot, engine
from pages.components.widgets import action_button
from pages.i18n.translate import t
from pages.talk.conversation import prepare_search, show_message_buttons, show_no_reply, show_reply
from pages.talk.second_version import choose_second_version, differences_text, restart_both

ICONS = {
    "left": "arrow_back",
    "right": "arrow_forward",
    "both_good": "thumb_up",
    "both_bad": "thumb_down",
}


def choose_preferring_reviewer() -> None:
    """The name under which choices are stored, also in the address; may be left empty."""
    name = preferring_reviewer()
    label = t("label_files.reviewer") if name == CHAT_REVIEWER else plain(name, links=False)
    with st.popover(label, icon=":material/badge:", help=t("versions.reviewer_help")):
        now = st.query_params.get("reviewer", "")
        typed = st.text_input(t("label.reviewer"), now, MAX_REVIEWER_NAME, key="preference-reviewer")
        if typed.strip() != now:
            st.query_params["reviewer"] = typed.strip()
            st.rerun()


def preferring_reviewer() -> str:
    """The reviewer of the address, else that of feedback on the chat pages."""
    try:
        return reviewer_name(st.query_params.get("reviewer", ""))
    except BadInput:
        return CHAT_REVIEWER


def show_preference_buttons(store: Store, left: int, right: int, chosen: Choice | None) -> None:
    """Buttons for A is better, B is better, both good, both bad; a second click removes the choice."""
    with st.container(horizontal=True, gap="small", key=f"prefer-{left}-{right}"):
        for choice in CHOICES:
            preference = Preference(left, right, preferring_reviewer(), choice)
            label, key, kind = (
                t(f"versions.{choice}"),
                f"prefer-{choice}-{left}-{right}",
                "primary" if choice == chosen else "tertiary",
            )
            action_button(label, ICONS[choice], _press, store, preference, chosen, key=key, type=kind)


def _press(store: Store, preference: Preference, chosen: Choice | None) -> None:
    if preference.choice == chosen:
        store.preferences.remove(preference.left, preference.right, preference.reviewer)
    else:
        store.preferences.save(preference)


UNSENT, REPLIED = "versions-kept", "versions-news"


class Side(NamedTuple):
    """A column of the page with its chat."""

    place: str  # name of its chat in the address
    title: str  # letter and name
    bot: Bot
    engine: Engine


def turns_of(store: Store, side: Side) -> list[TurnRow]:
    """The turns of the side's chat; [] if the address names no chat of this bot."""
    chat = st.query_params.get(side.place, "")
    stored = store.chats.get(chat) if chat else None
    return store.chats.turns(chat) if stored and stored.bot == side.bot.id else []


def send(store: Store, sides: tuple[Side, Side], text: str) -> None:
    """Send a message to both; if it cannot be sent, neither gets it and it stays as unsent."""
    st.session_state[UNSENT] = text
    with show_errors():
        check_message(text)
        services().chats.check_free(*(st.query_params.get(side.place, "") for side in sides))
        for side in sides:
            _send(store, side, text)
        del st.session_state[UNSENT]


def _send(store: Store, side: Side, text: str) -> None:
    profile = store.chats.profile()
    if not turns_of(store, side):
        st.query_params[side.place] = store.chats.create(side.bot.id, profile)
    services().chats.send(st.query_params[side.place], side.bot, text, profile, side.engine)


def draw_exchanges(store: Store, sides: tuple[Side, Side]) -> None:
    """Message by message, with both replies side by side (on a telephone one below the other)."""
    both = list(zip_longest(*(turns_of(store, side) for side in sides)))
    chosen = store.preferences.of_reviewer([left.id for left, _ in both if left], preferring_reviewer())
    for number, pair in enumerate(both, 1):
        draw_user_message(next(row.user_text for row in pair if row))
        for side, row, column in zip(sides, pair, st.columns(2, gap="medium"), strict=True):
            with column:
                st.caption(side.title)
                with bot_message():
                    _draw_reply(store, side, row, number == len(both))
        replies = [row.turn.reply.text for row in pair if row and row.turn]
        if len(replies) == 2 and sides[0].bot == sides[1].bot and replies[0] == replies[1]:
            st.caption(t("versions.same_reply"))
        elif len(replies) == 2:
            show_preference_buttons(store, pair[0].id, pair[1].id, chosen.get((pair[0].id, pair[1].id)))
    if st.session_state.pop(REPLIED, False):
        st.rerun()  # both have replied: once more with sources and reasons
    if both:
        _show_choices(store, sides, [row for row in both[-1] if row])


def _draw_reply(store: Store, side: Side, row: TurnRow | None, last: bool) -> None:
    if row is None:
        st.markdown(f":gray[{t('versions.not_sent')}]")
    elif row.turn:
        draw_bot_message(row.turn)
        st.caption(seconds_text(row.seconds, t))
    else:
        _draw_pending(store, side, row, last)


def _draw_pending(store: Store, side: Side, row: TurnRow, last: bool) -> None:
    """The reply as it comes; else why there is none, with the way to try again."""
    if reply := services().chats.reply(st.query_params.get(side.place, "")):
        show_reply(reply)
        st.session_state[REPLIED] = True
        return
    show_no_reply(store, row)
    if last:
        action_button(t("chat.retry"), "refresh", _retry, store, side, row, key=f"again-{row.id}")


def _retry(store: Store, side: Side, row: TurnRow) -> None:
    store.chats.drop_turn(row.id)
    _send(store, side, row.user_text)


def _show_choices(store: Store, sides: tuple[Side, Side], rows: list[TurnRow]) -> None:
    """What the replies of both offer; one click answers both."""
    offered = dict.fromkeys(text for row in rows if row.turn for text in row.turn.reply.choices)
    show_message_buttons("versions.choices", offered, f"choice-{rows[0].id}", partial(send, store, sides))


store = need_store()
top, bot = choose_bot()
heading(t("versions.title", bot=plain(bot.name)), t("versions.lead"), place=top)
other = choose_second_version(store, bot)
if other is None:
    st.stop()
sides = (
    Side("left", t("versions.side_a"), bot, engine()),
    Side("right", t("versions.side_b", name=plain(other.name, links=False)), other.bot, other.engine),
)
started = any(turns_of(store, side) for side in sides)
with st.container(horizontal=True, gap="small", vertical_alignment="center"):
    action_button(t("chat.new"), "add_comment", restart_both, disabled=not started)
    choose_preferring_reviewer()
    if other.bot == bot:
        st.caption(t("versions.same"), width="content")
    elif names := differences_text(bot, other):
        st.caption(t("versions.differs", names=plain(names, links=False)), width="content")
external = [answering_external_bot(side_bot) for side_bot in (bot, other.bot) if side_bot.external]
engines = [] if bot.external and other.bot.external else [answering_engine(roles=("bot", "clarify"))]
st.caption(":material/info: " + "  \n".join(dict.fromkeys([*external, *engines])))
prepare_search([bot, other.bot], [row for side in sides for row in turns_of(store, side)])
messages = st.container()
text = st.chat_input(t("versions.input"), key=f"versions-{bot.id}", submit_mode="disable")
if text is not None:
    send(store, sides, text)
    if UNSENT not in st.session_state:
        st.rerun()
if unsent := st.session_state.get(UNSENT):
    st.text_area(t("chat.unsent_text"), unsent)
with messages:
    if not started:
        show_message_buttons("chat.samples", bot.samples, "sample", partial(send, store, sides))
    draw_exchanges(store, sides)
