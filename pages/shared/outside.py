"""A bot that exists already, on the pages: how it is reached, as fields that are kept in `bot.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from core.base.bots import save_outside
from core.base.outside import FIELDS, ChatBot, HttpBot, Outside, PythonBot
from core.base.types import Bot
from pages.shared.draw import plain, told
from pages.shared.outside_trial import outside_trial
from pages.shared.words import language, say

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


def outside_part(bot: Bot, mark: str) -> None:
    """Choose where the bot is, say how it is reached, try it, keep it. `mark` changes with the file: fields anew."""
    st.caption(say("outside.lead"))
    kind = _kind(bot, mark)
    if kind == "own":
        _own(bot)
        return
    now = bot.outside if bot.outside and bot.outside.kind == kind else DEFAULTS[kind]
    fields = {"chat": _chat, "http": _http, "python": _python}[kind]
    values = {"kind": kind, **fields(now, f"outside-{kind}-{mark}")}
    if st.button(say("common.save"), type="primary", icon=":material/save:", key="save-outside"):
        _save(bot, values)
    if st.session_state.pop(f"outside-saved-{bot.id}", False):
        st.success(say("common.saved"), icon=":material/check:")
    outside_trial(bot, values)


def speaks_outside(bot: Bot) -> str:
    """Who answers, where that is a bot that exists already; "" for one of Kiku's own."""
    return say("outside.speaks", place=place_of(bot.outside)) if bot.outside else ""


def messages_outside(bot: Bot, most: int) -> str:
    """How many messages a run sends to a bot that exists already, as a line to add; "" for one of Kiku's own."""
    if not bot.outside:
        return ""
    return f"  \n:gray[{say('outside.messages', n=f'{most:,}', place=place_of(bot.outside))}]"


def place_of(outside: Outside) -> str:
    """Where such a bot is: its host, or its function."""
    where = outside.callable if isinstance(outside, PythonBot) else urlsplit(outside.url).netloc
    return plain(where, links=False)


def _kind(bot: Bot, mark: str) -> str:
    """The kind of bot; the choice is carried over a change of language."""
    now = bot.outside.kind if bot.outside else "own"
    kept = f"outside-kind-{mark}"
    labels = {kind: say(f"outside.kind_{kind}") for kind in KINDS}
    chosen = st.segmented_control(
        say("outside.kind"),
        KINDS,
        default=st.session_state.get(kept, now),
        format_func=lambda kind: labels[kind],
        required=True,
        key=f"{kept}-{language()}",
    )
    st.session_state[kept] = chosen or now
    st.caption(say(f"outside.{st.session_state[kept]}_lead"))
    return str(st.session_state[kept])


def _own(bot: Bot) -> None:
    """One of Kiku's own: nothing to set up; the way back is told before it is taken."""
    if st.session_state.pop(f"outside-saved-{bot.id}", False):
        st.success(say("common.saved"), icon=":material/check:")
    if not bot.outside:
        return
    st.warning(say("outside.own_again"), icon=":material/error:")
    if st.button(say("common.save"), type="primary", icon=":material/save:", key="save-outside"):
        _save(bot, None)


def _save(bot: Bot, values: Mapping[str, Any] | None) -> None:
    with told():
        save_outside(bot, values)
        st.session_state[f"outside-saved-{bot.id}"] = True
        st.rerun()


def _text(place: Any, name: str, now: str, mark: str, hint: str = "", **looks: Any) -> str:
    """One line of text."""
    help_ = say(hint) if hint else None
    key = f"{mark}-{name}"
    return str(place.text_input(say(f"outside.{name}"), now, 2_000, key, help=help_, persist_state="session", **looks))


def _chat(now: ChatBot, mark: str) -> dict[str, Any]:
    left, right = st.columns([2, 1])
    url = _text(left, "url", now.url, mark, "outside.chat_url_help")
    model = _text(right, "model", now.model, mark)
    left, right = st.columns([2, 1])
    key = _text(left, "key", now.key, mark, "outside.key_help", placeholder="HELP_BOT_KEY")
    values = {"url": url.strip(), "model": model.strip(), "key": key.strip(), "timeout": _timeout(right, now, mark)}
    return _slim(values | _mapping(now, mark), ("key",))


def _http(now: HttpBot, mark: str) -> dict[str, Any]:
    left, middle, right = st.columns([3, 1, 1])
    url = _text(left, "url", now.url, mark, "outside.http_url_help")
    method = middle.selectbox(
        say("outside.method"), METHODS, METHODS.index(now.method), key=f"{mark}-method", persist_state="session"
    )
    timeout = _timeout(right, now, mark)
    lines = "\n".join(f"{name}: {value}" for name, value in now.headers.items())
    left, right = st.columns(2)
    headers = left.text_area(
        say("outside.headers"), lines, 150, 4_000, f"{mark}-headers", help=say("outside.headers_help"),
        placeholder="Authorization: Bearer ${HELP_BOT_KEY}", persist_state="session",
    )  # fmt: skip
    body = right.text_area(
        say("outside.body"),
        now.body,
        150,
        8_000,
        f"{mark}-body",
        help=say("outside.body_help"),
        persist_state="session",
    )
    pairs = (line.partition(":") for line in headers.splitlines() if line.strip())
    values = {
        "url": url.strip(),
        "method": method,
        "timeout": timeout,
        "headers": {name.strip(): value.strip() for name, _, value in pairs},
        "body": body,
    }
    return _slim(values | _mapping(now, mark), ("headers",))


def _python(now: PythonBot, mark: str) -> dict[str, Any]:
    left, right = st.columns([2, 1])
    name = _text(left, "callable", now.callable, mark, "outside.callable_help")
    values = {"callable": name.strip(), "timeout": _timeout(right, now, mark)}
    with st.expander(say("outside.example"), icon=":material/code:", type="compact"):
        st.code(EXAMPLE, "python")
        st.caption(say("outside.example_help"))
    return values


def _timeout(place: Any, now: ChatBot | HttpBot | PythonBot, mark: str) -> float:
    key = f"{mark}-timeout"
    found = place.number_input(
        say("outside.timeout"), 1.0, 3600.0, float(now.timeout), 5.0, "%g", key=key, persist_state="session"
    )
    return float(found)


def _mapping(now: ChatBot | HttpBot, mark: str) -> dict[str, str]:
    """Where in the reply to find what it tells."""
    st.markdown(f"**{say('outside.mapping')}**")
    st.caption(say("outside.mapping_help"))
    found: dict[str, str] = {}
    for names in (FIELDS[:3], FIELDS[3:]):
        for place, name in zip(st.columns(3), names, strict=False):
            value = _text(place, f"path_{name}", getattr(now, name), mark, f"outside.path_{name}_help")
            found[name] = value.strip()
    return found


def _slim(values: dict[str, Any], optional: tuple[str, ...]) -> dict[str, Any]:
    """Without what is empty and need not be there."""
    empty = (*optional, *FIELDS[1:])
    return {name: value for name, value in values.items() if value or name not in empty}
