"""One call: what it cost, its exact messages, the rest of its request, and the reply as it came."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import streamlit as st

from core.analysis.formatting import seconds_text
from core.base.calls import Call
from core.base.translate import text_or_default
from core.store.store import Store
from pages.components.appearance import heading, local_time
from pages.components.cost import currency, money_text, number
from pages.components.links import page_link, transcript_link
from pages.components.plain_text import plain
from pages.components.url_choice import set_in_url
from pages.components.widgets import action_button
from pages.i18n.translate import stored_error_text, t
from pages.settings.call_tables import purpose_name, role_name, show_call_figures


def show_call(store: Store, call: Call) -> None:
    heading(t("calls.one", purpose=plain(purpose_name(call.purpose)), model=plain(call.model, links=False)))
    st.caption(t("calls.one_lead", id=number(call.id), when=local_time(call.created_at, seconds=True)))
    show_links(store, call)
    if call.error:
        st.warning(t("calls.error", error=plain(stored_error_text(call.error))), icon=":material/error:")
    show_figures(call)
    show_facts(call)
    show_messages(call)


def show_links(store: Store, call: Call) -> None:
    """Back to the list, and to the conversation that the call was made for, if it is still there."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        action_button(t("calls.back"), "arrow_back", partial(set_in_url, call=""))
        if not call.conversation_id:
            return
        show_conversation_link(store, call.conversation_id)
        go = partial(set_in_url, conversation=call.conversation_id, call="", run="")
        action_button(t("calls.same_conversation"), "receipt_long", go)


def show_conversation_link(store: Store, conversation: str) -> None:
    """A link to a run's conversation or to a chat; None if it was deleted."""
    if row := store.conversations.get(conversation):
        transcript_link(row.bot, row.run_id, row.id)
    elif chat := store.chats.get(conversation):
        page_link("talk/chat", t("transcripts.open"), "forum", bot=chat.bot, chat=chat.id)


def show_figures(call: Call) -> None:
    cached = t("calls.of_them_cached_one", n=number(call.cached_tokens)) if call.cached_tokens else None
    cost, unpriced = plain(money_text(call.cost, currency()), links=False), call.cost is None
    show_call_figures(
        ("prompt_tokens", number(call.prompt_tokens), cached),
        ("completion_tokens", number(call.completion_tokens), None),
        ("cost", cost, t("calls.no_price") if unpriced else None),
        ("seconds", seconds_text(call.seconds, t), t("calls.with_retries", n=number(call.retries))),
    )


def show_facts(call: Call) -> None:
    known = (
        ("by_role", role_name(call.role)),
        ("by_purpose", purpose_name(call.purpose)),
        ("output_mode", text_or_default(t, f"models.output_mode_{call.output_mode}", call.output_mode)),
        ("by_model", call.model),
        ("by_server", call.server),
        ("repeat", number(call.repeat)),
    )
    with st.container(border=True):
        for column, (name, value) in zip((*st.columns(3), *st.columns(3)), known, strict=True):
            column.markdown(f":gray[{plain(t(f'calls.{name}'))}]  \n{plain(value, links=False)}")


def show_messages(call: Call) -> None:
    request = _object(call.request)
    st.subheader(t("calls.messages"), anchor=False)
    draw_texts(messages_of(request))
    rest = {name: value for name, value in request.items() if name != "messages"} if request else call.request
    with st.expander(t("calls.rest"), icon=":material/data_object:"):
        st.code(_pretty(rest), language="json", wrap_lines=True)
    st.subheader(t("calls.reply"), anchor=False)
    if not call.reply:
        st.caption(t("calls.no_reply"))
        return
    parts = reply_parts(_object(call.reply))
    draw_texts(parts)
    if not parts:
        st.caption(t("calls.empty_reply"))
    with st.expander(t("calls.raw"), icon=":material/data_object:"):
        st.code(_pretty(_object(call.reply) or call.reply), language="json", wrap_lines=True)


def draw_texts(texts: list[tuple[str, str]]) -> None:
    """(what it is, the exact text) of each, letter by letter."""
    for title, text in texts:
        st.caption(plain(title))
        st.code(text, language=None, wrap_lines=True)


def messages_of(request: dict[str, Any]) -> list[tuple[str, str]]:
    """(who speaks, in words; the exact text) of each message in a request."""
    entries: list[Any] = request.get("messages") or []
    messages = [message if isinstance(message, dict) else {"content": message} for message in entries]
    roles = [str(message.get("role", "")) for message in messages]
    names = [text_or_default(t, f"calls.speaker_{role}", role) for role in roles]
    return [(name, _text(message.get("content"))) for name, message in zip(names, messages, strict=True)]


def reply_parts(reply: dict[str, Any]) -> list[tuple[str, str]]:
    """(what it is, the exact text) of all that a reply says: text, refusal, functions called."""
    message: Any = reply.get("message")
    if not isinstance(message, dict):
        return []
    texts = [(t(f"calls.said_{name}"), _text(message[name])) for name in ("content", "refusal") if message.get(name)]
    calls: Any = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return texts + [
        (t("calls.said_function", name=str(function.get("name", ""))), _text(function.get("arguments")))
        for function in functions
        if isinstance(function, dict)
    ]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else _pretty(content)


def _object(text: str) -> dict[str, Any]:
    """A JSON object, empty if the text is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _pretty(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
