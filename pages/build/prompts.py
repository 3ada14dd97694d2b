"""Every prompt that a model gets for a bot: shown, and replaced by a text of the bot's own."""

from __future__ import annotations

import streamlit as st

from core.base.errors import BadInput
from core.base.prompt_files import can_undo_prompt, file_of, prompt_key, save_prompt, undo_prompt
from core.base.types import Bot, Language
from core.prompts.catalog import ListedPrompt, all_prompts, check_prompt, sent_messages, text_of
from pages.components.appearance import heading, show_error, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.differences import show_difference
from pages.components.links import page_link
from pages.components.plain_text import plain
from pages.components.prompt_picker import choose_prompt
from pages.components.session import uses_model
from pages.i18n.translate import t

MAX_PROMPT_CHARACTERS = 60_000
BOTS_ROLES = ("bot", "clarify")  # which an external bot has no use for


def prompts_of(bot: Bot) -> dict[str, ListedPrompt]:
    """The prompts that the bot has a use for, by name."""
    return {name: prompt for name, prompt in all_prompts().items() if not (bot.external and prompt.role in BOTS_ROLES)}


def show_broken_prompts(bot: Bot) -> None:
    """What is wrong with files that cannot be used."""
    for key, text in bot.prompts.items():
        try:
            check_prompt(key, text)
        except BadInput as error:
            show_error(error)


def show_prompt(bot: Bot, prompt: ListedPrompt, language: Language) -> None:
    """Where the text comes from, then the text, what is sent, and the difference."""
    key = prompt_key(prompt.name, language)
    own = bot.prompts.get(key)
    if own is None:
        st.badge(t("prompts.default"), icon=":material/inventory_2:", color="gray")
    else:
        st.badge(t("prompts.own", file=plain(file_of(key))), icon=":material/edit_document:", color="blue")
    edit, sent, difference = st.tabs([t("prompts.tab_text"), t("prompts.tab_sent"), t("prompts.tab_difference")])
    with edit:
        _edit(bot, prompt, key, language)
        _show_variables(prompt)
    with sent:
        _show_sent(key, text_of(bot.prompts, prompt.name, language))
    with difference:
        show_difference(prompt.default(language), own)


def _edit(bot: Bot, prompt: ListedPrompt, key: str, language: Language) -> None:
    text = text_of(bot.prompts, prompt.name, language)
    field, label, most = f"prompt-{bot.id}-{key}-{hash(text)}", t("prompts.text"), MAX_PROMPT_CHARACTERS
    typed = st.text_area(label, text, 460, most, field, help=t("prompts.text_help"), label_visibility="collapsed")
    save, remove, undo, _ = st.columns([1.2, 1.6, 1.2, 4], gap="small")
    has_own, undoable = key in bot.prompts, can_undo_prompt(bot, key)
    saves = save.button(t("common.save"), type="primary", icon=":material/save:", width="stretch")
    removes = remove.button(t("prompts.remove"), icon=":material/restart_alt:", disabled=not has_own, width="stretch")
    undoes = undo.button(t("common.undo"), icon=":material/undo:", disabled=not undoable, width="stretch")
    if saves or removes or undoes:
        with show_errors():
            if saves:
                _save(bot, prompt, key, language, typed)
            elif removes:
                save_prompt(bot, key, None)
            else:
                undo_prompt(bot, key)
            st.rerun()


def _save(bot: Bot, prompt: ListedPrompt, key: str, language: Language, typed: str) -> None:
    """Store what was typed if it can be used; Kiku's own text needs no file."""
    if not typed.endswith("\n"):
        typed += "\n"
    check_prompt(key, typed)
    save_prompt(bot, key, None if typed == prompt.default(language) else typed)


def _show_variables(prompt: ListedPrompt) -> None:
    """What the text may use, each explained; what it must use is marked."""
    st.markdown(f"**{t('prompts.variables')}**")
    st.caption(t("prompts.variables_lead"))
    needed = {path.partition(".")[0] for path in prompt.required}
    rows = []
    for name in sorted(prompt.variables, key=lambda variable: (variable not in needed, variable)):
        must = f" :blue[{_must(name, prompt)}]" if name in needed else ""
        rows.append(f"- {t('prompts.variable', name=name, must=must, about=t(f'prompt_variables.{name}'))}")
    st.markdown("\n".join(rows))


def _must(name: str, prompt: ListedPrompt) -> str:
    """That a variable is required, or which of its parts are."""
    paths = [f"`{path}`" for path in prompt.required if path.startswith(f"{name}.")]
    return t("prompts.must_use", names=t("common.comma").join(paths)) if paths else t("prompts.must")


def _show_sent(key: str, text: str) -> None:
    """The messages for an invented case."""
    st.caption(t("prompts.sent_lead"))
    try:
        rules, material = sent_messages(key, text)
    except BadInput as error:
        show_error(error)
        return
    for role, message in (("system", rules), ("user", material)):
        if message:
            st.markdown(f"**{t(f'prompts.message_{role}')}**")
            st.code(message, None, wrap_lines=True)


top, bot = choose_bot()
count = len(bot.prompts)
title = t("prompts.title_own", bot=plain(bot.name), n=count) if count else t("prompts.title", bot=plain(bot.name))
heading(title, t("prompts.lead"), place=top)
if not uses_model():
    st.info(t("prompts.embedded"), icon=":material/info:")
show_broken_prompts(bot)
prompt, written = choose_prompt(bot, prompts_of(bot))
show_prompt(bot, prompt, written)
page_link("build/optimize", t("prompts.optimize"), "auto_awesome", bot=bot.id, prompt=prompt.name, text=written)
