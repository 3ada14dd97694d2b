"""Every prompt that a model gets for a bot: shown, and replaced by a text of the bot's own."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot, Language
from core.runs.prompt_catalog import ListedPrompt, all_prompts, check_prompt
from pages.build.prompt_editor import show_prompt
from pages.components.appearance import error_text, heading
from pages.components.bot_picker import choose_bot
from pages.components.plain_text import plain
from pages.components.session import uses_model
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t

BOTS_ROLES = ("bot", "clarify")  # which an external bot has no use for


def prompt_label(prompt: ListedPrompt) -> str:
    """Whose prompt it is, and what for."""
    name = prompt.name.replace("/", "_")
    return t("prompts.label", role=t(f"prompts.role_{prompt.role}"), name=t(f"prompt_names.{name}"))


def choose_prompt(bot: Bot) -> tuple[ListedPrompt, Language]:
    """The prompt and the language of its text (kept in the address)."""
    known = {name: one for name, one in all_prompts().items() if not (bot.external and one.role in BOTS_ROLES)}
    own = {key.rpartition(".")[0] for key in bot.prompts}
    labels = {name: prompt_label(one) + (t("prompts.mark_own") if name in own else "") for name, one in known.items()}
    left, right = st.columns([3, 1], gap="medium", vertical_alignment="bottom")
    chosen = known[choose_in_url("prompt", t("prompts.which"), labels, left)]
    ways = sorted(get_args(Language), key=lambda one: one != bot.language)
    names = {one: t(f"prompts.in_{one}") for one in ways}
    written = choose_in_url("text", t("prompts.language"), names, right, "segmented_control", required=True)
    return chosen, "en" if written == "en" else "ja"


def show_broken_prompts(bot: Bot) -> None:
    """What is wrong with files that cannot be used."""
    for key, text in bot.prompts.items():
        try:
            check_prompt(key, text)
        except BadInput as error:
            st.error(plain(error_text(error)), icon=":material/error:")


top, bot = choose_bot()
count = len(bot.prompts)
title = t("prompts.title_own", bot=plain(bot.name), n=count) if count else t("prompts.title", bot=plain(bot.name))
heading(title, t("prompts.lead"), place=top)
if not uses_model():
    st.info(t("prompts.embedded"), icon=":material/info:")
show_broken_prompts(bot)
prompt, written = choose_prompt(bot)
show_prompt(bot, prompt, written)
