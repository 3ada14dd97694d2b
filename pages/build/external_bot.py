"""The settings of an external bot, which are stored in `bot.toml`, and a trial of them with one message."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from core.base.bot_edits import save_external, with_external
from core.base.clean_text import truncate
from core.base.errors import BadInput, ModelError
from core.base.external_bots import FIELDS, ChatBot, HttpBot, PythonBot
from core.base.thread_pool import run_with_timeout
from core.base.types import Bot
from core.bot.external.reply import ExternalReply, fetch_reply, new_conversation, read_reply
from core.bot.external.request import OutgoingMessage
from pages.components.appearance import show_error, show_errors
from pages.components.message import draw_numbered_passage, yes_no
from pages.components.plain_text import plain
from pages.components.widgets import choose_switch, save_button
from pages.i18n.translate import language, t

KINDS = ("own", "chat", "http", "python")
METHODS = ("POST", "PUT", "GET")
DEFAULTS: dict[str, Any] = {
    "chat": ChatBot(kind="chat", url="http://127.0.0.1:8080/v1", model="bot"),
    "http": HttpBot(kind="http", url="http://127.0.0.1:8080/ask"),
    "python": PythonBot(kind="python", callable="bot:reply"),
}
EXAMPLE = """def reply(message, history, conversation):
    return {
        "answer": "…",
        "contexts": ["…"],
        "asked": False,
        "answered": True,
    }
"""
TIMEOUT_SECONDS = 90.0  # for a reply
RETRY_SECONDS = 10.0  # during which a failed request is repeated
MAX_REPLY_CHARACTERS = 20_000  # shown of a raw reply


def show_external_bot(bot: Bot, mark: str) -> None:
    """Choose if the bot is, say how it is reached, try it, keep it. `mark` changes with the file: fields again."""
    st.caption(t("external_bot.lead"))
    kind, values = _choose_kind(bot, mark), None
    if kind != "own":
        now = bot.external if bot.external and bot.external.kind == kind else DEFAULTS[kind]
        fields = {"chat": _chat, "http": _http, "python": _python}[kind]
        values = {"kind": kind, **fields(now, f"external-{kind}-{mark}")}
    elif bot.external:
        st.warning(t("external_bot.own_again"), icon=":material/error:")
    saved_key = f"external-saved-{bot.id}"
    is_open = values is not None or bot.external is not None
    if is_open and save_button(key="save-external"):
        with show_errors():
            save_external(bot, values)
            st.session_state[saved_key] = True
            st.rerun()
    if st.session_state.pop(saved_key, False):
        st.success(t("common.saved"), icon=":material/check:")
    if values is not None:
        show_trial(bot, values)


def _choose_kind(bot: Bot, mark: str) -> str:
    """The kind of bot; the choice is carried over a change of language."""
    now = bot.external.kind if bot.external else "own"
    state_key = f"external-kind-{mark}"
    labels = {kind: t(f"external_bot.kind_{kind}") for kind in KINDS}
    before = st.session_state.get(state_key, now)
    chosen = choose_switch(t("external_bot.kind"), labels, before, key=f"{state_key}-{language()}")
    st.session_state[state_key] = chosen
    st.caption(t(f"external_bot.{chosen}_lead"))
    return chosen


def _text(place: Any, name: str, now: str, mark: str, hint: str = "", **options: Any) -> str:
    """One line of text, trimmed."""
    options |= {"help": t(f"external_bot.{hint}") if hint else None, "persist_state": "session"}
    return str(place.text_input(t(f"external_bot.{name}"), now, 2_000, f"{mark}-{name}", **options)).strip()


def _lines(place: Any, name: str, now: str, mark: str, most: int, placeholder: str | None = None) -> str:
    """Several lines of text."""
    options = {"help": t(f"external_bot.{name}_help"), "placeholder": placeholder, "persist_state": "session"}
    return str(place.text_area(t(f"external_bot.{name}"), now, 150, most, f"{mark}-{name}", **options))


def _chat(now: ChatBot, mark: str) -> dict[str, Any]:
    left, right = st.columns([2, 1])
    values: dict[str, Any] = {
        "url": _text(left, "url", now.url, mark, "chat_url_help"),
        "model": _text(right, "model", now.model, mark),
    }
    left, right = st.columns([2, 1])
    values["key"] = _text(left, "key", now.key, mark, "key_help", placeholder="HELP_BOT_KEY")
    values["timeout"] = _timeout(right, now, mark)
    return _without_empty(values | _mapping(now, mark), ("key",))


def _http(now: HttpBot, mark: str) -> dict[str, Any]:
    left, middle, right = st.columns([3, 1, 1])
    values: dict[str, Any] = {"url": _text(left, "url", now.url, mark, "http_url_help")}
    method, key = METHODS.index(now.method), f"{mark}-method"
    values["method"] = middle.selectbox(t("external_bot.method"), METHODS, method, key=key, persist_state="session")
    values["timeout"] = _timeout(right, now, mark)
    lines = "\n".join(f"{name}: {value}" for name, value in now.headers.items())
    left, right = st.columns(2)
    headers = _lines(left, "headers", lines, mark, 4_000, "Authorization: Bearer ${HELP_BOT_KEY}")
    pairs = (line.partition(":") for line in headers.splitlines() if line.strip())
    values["headers"] = {name.strip(): value.strip() for name, _, value in pairs}
    values["body"] = _lines(right, "body", now.body, mark, 8_000)
    return _without_empty(values | _mapping(now, mark), ("headers",))


def _python(now: PythonBot, mark: str) -> dict[str, Any]:
    left, right = st.columns([2, 1])
    name = _text(left, "callable", now.callable, mark, "callable_help")
    values = {"callable": name, "timeout": _timeout(right, now, mark)}
    with st.expander(t("external_bot.example"), icon=":material/code:", type="compact"):
        st.code(EXAMPLE, "python")
        st.caption(t("external_bot.example_help"))
    return values


def _timeout(place: Any, now: ChatBot | HttpBot | PythonBot, mark: str) -> float:
    options = {"key": f"{mark}-timeout", "persist_state": "session"}
    return float(place.number_input(t("external_bot.timeout"), 1.0, 3600.0, float(now.timeout), 5.0, "%g", **options))


def _mapping(now: ChatBot | HttpBot, mark: str) -> dict[str, str]:
    """Where in the reply each value is."""
    st.markdown(f"**{t('external_bot.mapping')}**")
    st.caption(t("external_bot.mapping_help"))
    places = (*st.columns(3), *st.columns(3))
    return {
        name: _text(place, f"path_{name}", getattr(now, name), mark, f"path_{name}_help")
        for place, name in zip(places, FIELDS, strict=False)
    }


def _without_empty(values: dict[str, Any], optional: tuple[str, ...]) -> dict[str, Any]:
    """Without what is empty and need not be there."""
    empty = (*optional, *FIELDS[1:])
    return {name: value for name, value in values.items() if value or name not in empty}


class BotTrial(NamedTuple):
    values: Mapping[str, Any]  # of the form
    reply: Any = None  # None: there was none
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


def send_trial(bot: Bot, values: Mapping[str, Any], text: str) -> BotTrial:
    """Send one message; whatever goes wrong is part of what is given back."""
    begun = time.perf_counter()
    reply: Any = None
    try:
        asked = with_external(bot, values)
        message = OutgoingMessage(text, (), new_conversation())
        done = run_with_timeout({"reply": partial(fetch_reply, asked, message, RETRY_SECONDS)}, TIMEOUT_SECONDS).get(
            "reply"
        )
        if done is None:
            raise BadInput("There was no reply in time.", "external_trial_slow", seconds=f"{TIMEOUT_SECONDS:.0f}")
        reply = done.result()
        took = time.perf_counter() - begun
        return BotTrial(values, reply, read_reply(asked, reply), None, took)
    except (BadInput, ModelError) as problem:
        error = BadInput(str(problem), problem.key, **problem.details)
    return BotTrial(values, reply, None, error, time.perf_counter() - begun)


def _show_result(done: BotTrial, values: Mapping[str, Any]) -> None:
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
            draw_numbered_passage(number, passage)


def _raw(reply: Any) -> str:
    """The reply as text, cut if it is very long."""
    try:
        text = json.dumps(reply, ensure_ascii=False, indent=2)
    except (TypeError, ValueError, RecursionError):
        text = repr(reply)
    return truncate(text, MAX_REPLY_CHARACTERS)
