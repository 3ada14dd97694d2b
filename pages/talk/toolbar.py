"""The row above a conversation: a new chat, earlier chats, what the person says about themselves, downloads."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import get_args

import streamlit as st

from core.base.types import Answer, Bot, Passage, Patience
from core.chats.chats import with_earlier
from core.store.rows import TurnRow
from core.store.store import Store
from pages.components.appearance import local_time, show_errors
from pages.components.plain_text import line
from pages.components.url_choice import set_in_url
from pages.components.widgets import action_button, choose, choose_switch
from pages.i18n.translate import stored_error_text, t, words

LEVELS: tuple[Patience, ...] = get_args(Patience)  # from asking least to asking most


def show_toolbar(store: Store, bot: Bot, rows: list[TurnRow]) -> None:
    with st.container(horizontal=True, gap="small"):
        action_button(t("chat.new"), "add_comment", partial(set_in_url, chat=""), disabled=not rows)
        with st.popover(t("chat.earlier"), icon=":material/history:"):
            show_earlier_chats(store, bot)
        with st.popover(t("chat.you"), icon=":material/badge:"):
            show_profile_form(store, bot)
            if bot.external is None:
                show_earlier_switch(store, bot, st.query_params.get("chat", ""))
        with st.popover(t("chat.export"), icon=":material/download:", disabled=not rows):
            show_downloads(bot, rows)


def show_earlier_chats(store: Store, bot: Bot) -> None:
    """The latest chats, one click to go on."""
    chats = store.chats.newest(bot.id)
    if chats:
        st.caption(t("chat.earlier_all"))
    else:
        st.caption(t("chat.earlier_none"))
    for chat in chats:
        label = f"{local_time(chat.created_at)}　{line(chat.title, 40)}"
        st.button(label, f"open-{chat.id}", type="tertiary", on_click=set_in_url, kwargs={"chat": chat.id})


def show_profile_form(store: Store, bot: Bot) -> None:
    """What the person says about themselves; stored in the database as it is typed."""
    now = store.chats.profile()
    st.caption(t("chat.you_lead"))
    for name in ("department", "office", "role", "age"):
        key = f"you-{name}"
        if not getattr(now, name) and _has_field(bot, name):
            continue
        st.text_input(t(f"chat.{name}"), getattr(now, name), 200, key, on_change=_save_profile, args=(store, name, key))
    for field in bot.profile_fields:
        key = f"you-{bot.id}-{field.name}"
        names = {"": t("chat.not_set"), **{value: value for value in field.values}}
        before = now.details.get(field.name, "")
        saved = {"on_change": _save_detail, "args": (store, field.name, key)}
        choose(line(field.name, 30), names, before if before in names else "", key=key, **saved)
    saved = {"on_change": _save_profile, "args": (store, "note", "you-note")}
    st.text_area(t("chat.note"), now.note, 80, 1000, "you-note", **saved)
    key = f"you-patience-{now.patience}"  # the buttons under a reply move it, too
    levels = {level: t(f"chat.patience_{level}") for level in LEVELS}
    saved = {"on_change": _save_profile, "args": (store, "patience", key)}
    choose_switch(t("chat.patience"), levels, now.patience, key=key, **saved)


def _has_field(bot: Bot, name: str) -> bool:
    """Whether a bot has a field of its own for this, by one of its names in either language."""
    names = {part.casefold() for text in words()[f"chat.{name}"].values() for part in text.split("・")}
    return any(field.name.casefold() in names for field in bot.profile_fields)


def show_earlier_switch(store: Store, bot: Bot, chat_id: str) -> None:
    """Whether the bot may read the person's earlier chats with it, and what it would be sent."""
    now, key = store.chats.profile(), "you-shares_earlier"
    saved = {"on_change": _save_profile, "args": (store, "shares_earlier", key)}
    st.toggle(t("chat.shares_earlier"), now.shares_earlier, key, t("chat.shares_earlier_help"), **saved)
    if now.shares_earlier:
        sent = with_earlier(store, bot, now, chat_id).earlier
        st.caption(t("chat.earlier_sent" if sent else "chat.earlier_none_sent"))
        if sent:
            st.code(sent, language=None, wrap_lines=True)


def _save_profile(store: Store, field: str, key: str) -> None:
    """Store one thing that the person has just changed about themselves."""
    with show_errors():
        store.chats.save_profile(store.chats.profile().model_copy(update={field: st.session_state[key]}))


def _save_detail(store: Store, name: str, key: str) -> None:
    """Store the value of a field that the bot declares; the empty choice takes it out."""
    with show_errors():
        profile = store.chats.profile()
        details = {field: value for field, value in profile.details.items() if field != name}
        if value := st.session_state[key]:
            details[name] = value
        store.chats.save_profile(profile.model_copy(update={"details": details}))


_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~$&=:]|(?<=\d)\.)")


def show_downloads(bot: Bot, rows: list[TurnRow]) -> None:
    name = f"kiku-{bot.id}"
    readable = as_markdown(t("chat.title", bot=bot.name), t("chat.person"), bot.name, rows)
    st.download_button(t("chat.export_md"), readable, f"{name}.md", "text/markdown", on_click="ignore")
    record = as_json(bot.id, rows)
    st.download_button(t("chat.export_json"), record, f"{name}.json", "application/json", on_click="ignore")


def letters(text: str) -> str:
    """What people and models wrote, as Markdown that any reader shows letter by letter: no picture, link, heading or HTML."""
    indented = re.sub(r"^[ \t]+", lambda spaces: "\u00a0" * len(spaces[0].expandtabs(4)), text, flags=re.MULTILINE)
    return re.sub(r"\r\n?|\n", "  \n", _MARKS.sub(r"\\\1", indented))


def as_markdown(title: str, person: str, bot: str, rows: Sequence[TurnRow]) -> str:
    """The conversation with its sources, for people."""
    parts = [f"# {letters(title)}"]
    for row in rows:
        parts.append(f"**{letters(person)}**\n\n{letters(row.user_text)}")
        if row.turn:
            parts.append(f"**{letters(bot)}**\n\n{letters(row.reply_text)}{_sources(row)}")
        elif row.error:
            parts.append(f"*{letters(stored_error_text(row.error))}*")
    return "\n\n".join(parts) + "\n"


def _sources(row: TurnRow) -> str:
    if row.turn is None or not isinstance(row.turn.reply, Answer):
        return ""
    seen = row.turn.passages or ()
    cited = row.turn.reply.cited
    if row.turn.route is None:  # an external bot cites all that it reports
        cited = range(1, len(seen) + 1)
    lines = [f"- \\[{n}\\] {letters(_place(seen[n - 1]))}" for n in cited if 0 < n <= len(seen)]
    return f"\n\n{t('decision.sources')}\n" + "\n".join(lines) if lines else ""


def _place(passage: Passage) -> str:
    """Document and heading; of what has neither, its beginning."""
    names = dict.fromkeys(name for name in (passage.document, passage.heading or passage.title) if name)
    return " › ".join(names) or " ".join(passage.text.split())[:80]


def as_json(bot: str, rows: Sequence[TurnRow]) -> str:
    """Every turn with its whole record, scores and feedback."""
    turns = [row.model_dump(mode="json") for row in rows]
    return json.dumps({"bot": bot, "turns": turns}, ensure_ascii=False, indent=2)
