"""A trial message to a bot that exists already: its reply as it came, and what the mapping made of it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import TimeoutError as TooLate
from typing import Any, NamedTuple

import streamlit as st

from core.base.bots import with_outside
from core.base.errors import BadInput
from core.base.types import Bot
from core.llm.errors import ModelError
from core.llm.occasion import SOON, on
from core.run.outside.ask import hear, new_conversation, understood
from core.run.outside.request import Asked
from core.run.outside.told import Told
from core.run.pool import Pool
from pages.shared.draw import plain
from pages.shared.talk import passage_text, yes_no
from pages.shared.words import say, sentence

SECONDS = 90.0  # that somebody waits for a reply
PATIENCE = 10.0  # seconds for trying again
LONGEST = 20_000  # characters of a raw reply that are shown


class Tried(NamedTuple):
    """A trial: with which fields, the reply (none: there was none), what it tells, what went wrong, the seconds."""

    values: Mapping[str, Any]
    reply: Any = None
    told: Told | None = None
    error: BadInput | None = None
    seconds: float = 0.0


def outside_trial(bot: Bot, values: Mapping[str, Any]) -> None:
    """Write a message and send it with the fields as they stand, saved or not; the result stays until the next."""
    st.subheader(say("outside.try"), anchor=False)
    st.caption(say("outside.try_lead"))
    given = bot.samples[0] if bot.samples else say("outside.try_given")
    text = st.text_input(say("outside.try_text"), given, 2_000, f"outside-try-{bot.id}", persist_state="session")
    kept = f"outside-tried-{bot.id}"
    if st.button(say("outside.try_do"), icon=":material/send:", disabled=not text.strip(), key="outside-try-do"):
        with st.spinner(say("outside.trying")):
            st.session_state[kept] = tried(bot, values, text)
    if kept in st.session_state:
        _show(st.session_state[kept], values)


def tried(bot: Bot, values: Mapping[str, Any], text: str, seconds: float = SECONDS) -> Tried:
    """Send one message; whatever goes wrong is part of what is given back."""
    begun, stopped, pool = time.perf_counter(), threading.Event(), Pool(1, "outside-trial")
    reply: Any = None
    try:
        asked = with_outside(bot, values)
        with on(stopped=stopped.is_set, absent=SOON):
            work = pool.submit(hear, asked, Asked(text, (), new_conversation()), PATIENCE)
        reply = work.result(seconds)
        took = time.perf_counter() - begun
        return Tried(values, reply, understood(asked, reply), None, took)
    except TooLate:
        error = BadInput("There was no reply in time.", "outside_trial_slow", seconds=f"{seconds:.0f}")
    except (BadInput, ModelError) as problem:
        error = BadInput(str(problem), problem.key, **problem.details)
    finally:
        stopped.set()
        pool.close()
    return Tried(values, reply, None, error, time.perf_counter() - begun)


def _show(done: Tried, values: Mapping[str, Any]) -> None:
    """What became of it."""
    if dict(done.values) != dict(values):
        st.caption(f":orange[:material/edit: {say('outside.try_changed')}]")
    if done.error:
        st.error(plain(sentence(done.error)), icon=":material/error:")
    if done.told:
        _told(done.told, done.seconds)
    if done.reply is not None:
        with st.expander(say("outside.raw"), icon=":material/data_object:", expanded=done.told is None):
            st.code(_raw(done.reply), "json", wrap_lines=True)


def _told(told: Told, seconds: float) -> None:
    with st.container(border=True):
        st.markdown(f"**{say('outside.answer')}**  \n{plain(told.answer)}")
        if told.choices:
            st.markdown(f"**{say('outside.choices')}**  \n{plain(' / '.join(told.choices))}")
        columns = st.columns(4)
        count = say("common.unknown") if told.contexts is None else say("outside.saw_n", n=len(told.contexts))
        tiles = (("asked", yes_no(told.asked)), ("answered", yes_no(told.answered)), ("saw", count))
        for column, (name, value) in zip(columns, (*tiles, ("took", f"{seconds:.2f}")), strict=True):
            column.markdown(f":gray[{say(f'outside.{name}')}]  \n**{value}**")
        for number, passage in enumerate(told.contexts or (), 1):
            with st.expander(f"\\[{number}\\] {plain(passage.title or passage.document)}", type="compact"):
                passage_text(passage.text)


def _raw(reply: Any) -> str:
    """The reply as text, cut where it is very long."""
    try:
        text = json.dumps(reply, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError):
        text = repr(reply)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
