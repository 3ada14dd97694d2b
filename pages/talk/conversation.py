"""What both pages of conversations draw: messages to send with one click, and a reply from the search on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import streamlit as st

from core.base.types import Bot
from core.chats.chats import ChatReply
from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.job_progress import watch
from pages.components.message import reply_text
from pages.components.plain_text import plain
from pages.components.services import services
from pages.i18n.translate import stored_error_text, t


def show_message_buttons(
    label: str, texts: Iterable[str], key: str, send: Callable[[str], None], box: str | None = None
) -> None:
    """A button for each text, under a label (the key of its words); nothing without texts. box: key of the container."""
    offered = list(texts)
    if not offered:
        return
    st.caption(t(label))
    with st.container(horizontal=True, gap="small", key=box):
        for number, text in enumerate(offered):
            st.button(plain(text), key=f"{key}-{number}", on_click=send, args=(text,))


def prepare_search(bots: Sequence[Bot], rows: Iterable[TurnRow]) -> None:
    """Prepare the search of the bots; before the first reply (of these turns), say so until it is ready."""
    own = [bot.id for bot in bots if bot.external is None]
    for bot in own:
        services().prepare(bot)
    if any(map(services().is_loading, own)) and not any(row.turn for row in rows):
        not_ready = f":material/hourglass_top: {t('chat.not_ready')}"
        watch(lambda: any(map(services().is_loading, own)), lambda: st.caption(not_ready))


def show_reply(reply: ChatReply) -> None:
    place, text = st.empty(), ""
    place.caption(f":material/progress_activity: {t('chat.thinking')}")
    for piece in reply.pieces():
        text += piece
        place.markdown(reply_text(text))


def show_no_reply(store: Store, row: TurnRow) -> None:
    """Say why there is no reply; the page runs again if it has come meanwhile."""
    if not row.error and store.chats.has_ended(row.id):
        st.rerun()
    error = plain(stored_error_text(row.error) or t("chat.cut_off"))
    st.warning(t("chat.failed", error=error), icon=":material/error:")
