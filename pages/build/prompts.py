"""Every prompt that a model gets for a bot: shown, and replaced by a text of the bot's own."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot
from core.runs.prompt_catalog import ListedPrompt, all_prompts, check_prompt
from pages.build.prompt_editor import show_prompt
from pages.components.appearance import heading, show_error
from pages.components.bot_picker import choose_bot
from pages.components.plain_text import plain
from pages.components.prompt_picker import choose_prompt
from pages.components.session import uses_model
from pages.i18n.translate import t

BOTS_ROLES = ("bot", "clarify")  # which an external bot has no use for


def prompts_of(bot: Bot) -> dict[str, ListedPrompt]:
    """The prompts that the bot has a use for, by name."""
    return {name: one for name, one in all_prompts().items() if not (bot.external and one.role in BOTS_ROLES)}


def show_broken_prompts(bot: Bot) -> None:
    """What is wrong with files that cannot be used."""
    for key, text in bot.prompts.items():
        try:
            check_prompt(key, text)
        except BadInput as error:
            show_error(error)


top, bot = choose_bot()
count = len(bot.prompts)
title = t("prompts.title_own", bot=plain(bot.name), n=count) if count else t("prompts.title", bot=plain(bot.name))
heading(title, t("prompts.lead"), place=top)
if not uses_model():
    st.info(t("prompts.embedded"), icon=":material/info:")
show_broken_prompts(bot)
prompt, written = choose_prompt(bot, prompts_of(bot))
show_prompt(bot, prompt, written)
st.page_link(
    "pages/build/optimize.py",
    label=t("prompts.optimize"),
    icon=":material/auto_awesome:",
    query_params={"bot": bot.id, "prompt": prompt.name, "text": written},
)
