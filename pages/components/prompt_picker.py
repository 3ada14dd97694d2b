"""The prompt that a page is about, and the language of its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import streamlit as st

from core.base.types import Bot, Language
from core.prompts.catalog import ListedPrompt
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t


def prompt_label(prompt: ListedPrompt) -> str:
    """Whose prompt it is, and what for."""
    name = prompt.name.replace("/", "_")
    return t("prompts.label", role=t(f"prompts.role_{prompt.role}"), name=t(f"prompt_names.{name}"))


def choose_prompt(bot: Bot, prompts: Mapping[str, ListedPrompt]) -> tuple[ListedPrompt, Language]:
    """The prompt and the language of its text (stored in the address)."""
    own = {key.rpartition(".")[0] for key in bot.prompts}
    labels = {
        name: prompt_label(prompt) + (t("prompts.mark_own") if name in own else "") for name, prompt in prompts.items()
    }
    left, right = st.columns([3, 1], gap="medium")
    chosen = prompts[choose_in_url("prompt", t("prompts.which"), labels, left)]
    ways = sorted(get_args(Language), key=lambda language: language != bot.language)
    names = {way: t(f"settings.language_{way}") for way in ways}
    written = choose_in_url("text", t("prompts.language"), names, right, "segmented_control", required=True)
    return chosen, "en" if written == "en" else "ja"
