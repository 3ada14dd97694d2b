"""A better text for one prompt: labelled rows, an estimate, the search, and its results."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.base.errors import BadInput
from core.base.types import Bot, Language
from core.optimization.labelled_rows import labelled_answers
from core.optimization.prompt_task import ANSWERERS, CLARIFIERS, PromptTask, bot_task, judge_task
from core.optimization.search import SearchOptions, check_engine
from core.prompts.catalog import ListedPrompt, all_prompts
from pages.components.appearance import heading, show_errors
from pages.components.bot_picker import choose_bot
from pages.components.optimization import show_job, show_results, show_start
from pages.components.plain_text import plain
from pages.components.prompt_picker import choose_prompt
from pages.components.services import services
from pages.components.session import engine
from pages.components.uploaded_table import upload_table
from pages.i18n.translate import error_text, t


def optimizable_prompts(bot: Bot) -> dict[str, ListedPrompt]:
    """The prompts with something to try them on, by name."""
    of_bot = () if bot.external else (*ANSWERERS, *CLARIFIERS)
    return {name: prompt for name, prompt in all_prompts().items() if name in of_bot or prompt.role == "judge"}


def choose_task(bot: Bot, prompt: ListedPrompt, language: Language) -> PromptTask | None:
    """What the prompt is tried on; None until a file with labels is uploaded."""
    if prompt.role != "judge":
        with st.spinner(t("optimize.loading")):
            return bot_task(bot, services().indexes.get(bot), prompt.name, language)
    judge = prompt.judges[0]
    if len(prompt.judges) > 1:
        judge = st.selectbox(t("optimize.judge"), prompt.judges, key=f"optimize-judge-{prompt.name}")
    uploaded = upload_table(t("optimize.labels"), "optimize-labels")
    st.caption(t("optimize.labels_help"))
    rows = labelled_answers(uploaded.rows) if uploaded else []
    return judge_task(bot, prompt.name, language, judge, rows) if rows else None


def choose_options() -> SearchOptions:
    values: dict[str, Any] = {}
    ranges = {"rules": (0, 20, 4), "examples": (0, 20, 3), "limit": (0, 10_000, 60), "budget": (0.0, 1e9, 0.0)}
    for place, (name, numbers) in zip(st.columns(4, vertical_alignment="bottom"), ranges.items(), strict=True):
        label, text = t(f"optimize.{name}"), t(f"optimize.{name}_help")
        values[name] = place.number_input(label, *numbers, key=f"optimize-{name}", help=text)
    return SearchOptions(**values)


def show_search(bot: Bot, prompt: ListedPrompt, language: Language) -> None:
    """What is tried on which rows, the estimate and the start; on the embedded engine why there is nothing to start."""
    try:
        current = engine()
        check_engine(current)
    except BadInput as error:
        st.info(plain(error_text(error)), icon=":material/info:")
        return
    with st.container(border=True), show_errors():
        task = choose_task(bot, prompt, language)
        options = choose_options()
        if task is not None:
            st.caption(t("optimize.rows", n=f"{len(task.rows()):,}"))
            show_start(bot, task, options, current)


top, bot = choose_bot()
heading(t("menu.optimize"), t("optimize.lead"), place=top)
prompt, language = choose_prompt(bot, optimizable_prompts(bot))
if not show_job(bot, prompt, language):
    show_search(bot, prompt, language)
show_results(bot, prompt, language)
