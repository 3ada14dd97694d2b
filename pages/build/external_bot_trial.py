"""A trial of an external bot: one message with the fields as they stand, and what came back."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from core.base.bot_edits import with_external
from core.base.clean_text import truncate
from core.base.errors import BadInput, ModelError
from core.base.types import Bot
from core.bot.external.reply import ExternalReply, fetch_reply, new_conversation, read_reply
from core.bot.external.request import OutgoingMessage
from core.runs.thread_pool import run_with_timeout
from pages.components.appearance import show_error
from pages.components.message import draw_passage, yes_no
from pages.components.plain_text import plain
from pages.i18n.translate import t

SECONDS = 90.0  # that somebody waits for a reply
PATIENCE = 10.0  # seconds for trying again
LONGEST_RAW_REPLY = 20_000  # characters of a raw reply that are shown


class Trial(NamedTuple):
    """A trial: with which fields, the reply (none: there was none), what was read in it, the error, the seconds."""

    values: Mapping[str, Any]
    reply: Any = None
    parsed: ExternalReply | None = None
    error: BadInput | None = None
    seconds: float = 0.0


def show_trial(bot: Bot, values: Mapping[str, Any]) -> None:
    """Write a message and send it with the fields as they stand, saved or not; the result stays until the next."""
    st.subheader(t("external_bot.try"), anchor=False)
    st.caption(t("external_bot.try_lead"))
    question = bot.samples[0] if bot.samples else t("external_bot.try_given")
    text = st.text_input(t("external_bot.try_text"), question, 2_000, f"external-try-{bot.id}", persist_state="session")
    state_key = f"external-tried-{bot.id}"
    if st.button(t("external_bot.try_do"), icon=":material/send:", disabled=not text.strip(), key="external-try-do"):
        with st.spinner(t("external_bot.trying")):
            st.session_state[state_key] = send_trial(bot, values, text)
    if state_key in st.session_state:
        _show_result(st.session_state[state_key], values)


def send_trial(bot: Bot, values: Mapping[str, Any], text: str, seconds: float = SECONDS) -> Trial:
    """Send one message; whatever goes wrong is part of what is given back."""
    begun = time.perf_counter()
    reply: Any = None
    try:
        asked = with_external(bot, values)
        message = OutgoingMessage(text, (), new_conversation())
        done = run_with_timeout({"reply": partial(fetch_reply, asked, message, PATIENCE)}, seconds).get("reply")
        if done is None:
            raise BadInput("There was no reply in time.", "external_trial_slow", seconds=f"{seconds:.0f}")
        reply = done.result()
        took = time.perf_counter() - begun
        return Trial(values, reply, read_reply(asked, reply), None, took)
    except (BadInput, ModelError) as problem:
        error = BadInput(str(problem), problem.key, **problem.details)
    return Trial(values, reply, None, error, time.perf_counter() - begun)


def _show_result(done: Trial, values: Mapping[str, Any]) -> None:
    """Show the reply or the error of a trial."""
    if dict(done.values) != dict(values):
        st.caption(f":orange[:material/edit: {t('external_bot.try_changed')}]")
    if done.error:
        show_error(done.error)
    if done.parsed:
        _show_reply(done.parsed, done.seconds)
    if done.reply is not None:
        with st.expander(t("external_bot.raw"), icon=":material/data_object:", expanded=done.parsed is None):
            st.code(_raw(done.reply), "json", wrap_lines=True)


def _show_reply(reply: ExternalReply, seconds: float) -> None:
    with st.container(border=True):
        st.markdown(f"**{t('external_bot.answer')}**  \n{plain(reply.answer)}")
        if reply.choices:
            st.markdown(f"**{t('external_bot.choices')}**  \n{plain(' / '.join(reply.choices))}")
        columns = st.columns(4)
        count = t("common.unknown") if reply.contexts is None else t("external_bot.saw_n", n=len(reply.contexts))
        tiles = (("asked", yes_no(reply.asked)), ("answered", yes_no(reply.answered)), ("saw", count))
        for column, (name, value) in zip(columns, (*tiles, ("took", f"{seconds:.2f}")), strict=True):
            column.markdown(f":gray[{t(f'external_bot.{name}')}]  \n**{value}**")
        for number, passage in enumerate(reply.contexts or (), 1):
            with st.expander(f"\\[{number}\\] {plain(passage.title or passage.document)}", type="compact"):
                draw_passage(passage.text)


def _raw(reply: Any) -> str:
    """The reply as text, cut if it is very long."""
    try:
        text = json.dumps(reply, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError):
        text = repr(reply)
    return truncate(text, LONGEST_RAW_REPLY)
