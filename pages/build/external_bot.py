"""An external bot, on the pages: how it is reached, as fields that are stored in `bot.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.base.bot_edits import save_external
from core.base.external_bots import FIELDS, ChatBot, HttpBot, PythonBot
from core.base.types import Bot
from pages.build.external_bot_trial import show_trial
from pages.components.appearance import show_errors
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


def show_external_bot(bot: Bot, mark: str) -> None:
    """Choose if the bot is, say how it is reached, try it, keep it. `mark` changes with the file: fields again."""
    st.caption(t("external_bot.lead"))
    kind = _choose_kind(bot, mark)
    if kind == "own":
        _show_own(bot)
        return
    now = bot.external if bot.external and bot.external.kind == kind else DEFAULTS[kind]
    fields = {"chat": _chat, "http": _http, "python": _python}[kind]
    values = {"kind": kind, **fields(now, f"external-{kind}-{mark}")}
    if st.button(t("common.save"), type="primary", icon=":material/save:", key="save-external"):
        _save(bot, values)
    if st.session_state.pop(f"external-saved-{bot.id}", False):
        st.success(t("common.saved"), icon=":material/check:")
    show_trial(bot, values)


def _choose_kind(bot: Bot, mark: str) -> str:
    """The kind of bot; the choice is carried over a change of language."""
    now = bot.external.kind if bot.external else "own"
    state_key = f"external-kind-{mark}"
    labels = {kind: t(f"external_bot.kind_{kind}") for kind in KINDS}
    chosen = st.segmented_control(
        t("external_bot.kind"),
        KINDS,
        default=st.session_state.get(state_key, now),
        format_func=lambda kind: labels[kind],
        required=True,
        key=f"{state_key}-{language()}",
    )
    st.session_state[state_key] = chosen or now
    st.caption(t(f"external_bot.{st.session_state[state_key]}_lead"))
    return str(st.session_state[state_key])


def _show_own(bot: Bot) -> None:
    """One of Kiku's own: nothing to set up; the page says so before a bot goes back to it."""
    if st.session_state.pop(f"external-saved-{bot.id}", False):
        st.success(t("common.saved"), icon=":material/check:")
    if not bot.external:
        return
    st.warning(t("external_bot.own_again"), icon=":material/error:")
    if st.button(t("common.save"), type="primary", icon=":material/save:", key="save-external"):
        _save(bot, None)


def _save(bot: Bot, values: Mapping[str, Any] | None) -> None:
    with show_errors():
        save_external(bot, values)
        st.session_state[f"external-saved-{bot.id}"] = True
        st.rerun()


def _text(place: Any, name: str, now: str, mark: str, hint: str = "", **options: Any) -> str:
    """One line of text."""
    help_ = t(hint) if hint else None
    key = f"{mark}-{name}"
    return str(
        place.text_input(t(f"external_bot.{name}"), now, 2_000, key, help=help_, persist_state="session", **options)
    )


def _chat(now: ChatBot, mark: str) -> dict[str, Any]:
    left, right = st.columns([2, 1])
    url = _text(left, "url", now.url, mark, "external_bot.chat_url_help")
    model = _text(right, "model", now.model, mark)
    left, right = st.columns([2, 1])
    key = _text(left, "key", now.key, mark, "external_bot.key_help", placeholder="HELP_BOT_KEY")
    values = {"url": url.strip(), "model": model.strip(), "key": key.strip(), "timeout": _timeout(right, now, mark)}
    return _without_empty(values | _mapping(now, mark), ("key",))


def _http(now: HttpBot, mark: str) -> dict[str, Any]:
    left, middle, right = st.columns([3, 1, 1])
    url = _text(left, "url", now.url, mark, "external_bot.http_url_help")
    method = middle.selectbox(
        t("external_bot.method"), METHODS, METHODS.index(now.method), key=f"{mark}-method", persist_state="session"
    )
    timeout = _timeout(right, now, mark)
    lines = "\n".join(f"{name}: {value}" for name, value in now.headers.items())
    left, right = st.columns(2)
    headers = left.text_area(
        t("external_bot.headers"), lines, 150, 4_000, f"{mark}-headers", help=t("external_bot.headers_help"),
        placeholder="Authorization: Bearer ${HELP_BOT_KEY}", persist_state="session",
    )  # fmt: skip
    body = right.text_area(
        t("external_bot.body"),
        now.body,
        150,
        8_000,
        f"{mark}-body",
        help=t("external_bot.body_help"),
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
    return _without_empty(values | _mapping(now, mark), ("headers",))


def _python(now: PythonBot, mark: str) -> dict[str, Any]:
    left, right = st.columns([2, 1])
    name = _text(left, "callable", now.callable, mark, "external_bot.callable_help")
    values = {"callable": name.strip(), "timeout": _timeout(right, now, mark)}
    with st.expander(t("external_bot.example"), icon=":material/code:", type="compact"):
        st.code(EXAMPLE, "python")
        st.caption(t("external_bot.example_help"))
    return values


def _timeout(place: Any, now: ChatBot | HttpBot | PythonBot, mark: str) -> float:
    key = f"{mark}-timeout"
    number = place.number_input(
        t("external_bot.timeout"), 1.0, 3600.0, float(now.timeout), 5.0, "%g", key=key, persist_state="session"
    )
    return float(number)


def _mapping(now: ChatBot | HttpBot, mark: str) -> dict[str, str]:
    """Where in the reply each value is."""
    st.markdown(f"**{t('external_bot.mapping')}**")
    st.caption(t("external_bot.mapping_help"))
    headers: dict[str, str] = {}
    for names in (FIELDS[:3], FIELDS[3:]):
        for place, name in zip(st.columns(3), names, strict=False):
            value = _text(place, f"path_{name}", getattr(now, name), mark, f"external_bot.path_{name}_help")
            headers[name] = value.strip()
    return headers


def _without_empty(values: dict[str, Any], optional: tuple[str, ...]) -> dict[str, Any]:
    """Without what is empty and need not be there."""
    empty = (*optional, *FIELDS[1:])
    return {name: value for name, value in values.items() if value or name not in empty}
