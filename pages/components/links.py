"""Links from one page to another, with what that page is to show."""

from __future__ import annotations

import streamlit as st

from pages.i18n.translate import t


def page_link(page: str, label: str, icon: str, **query: str) -> None:
    """A link to a page, "results/scores", with what its address names."""
    st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=query)


def transcript_link(bot: str, run: str, conversation: str, label: str = "") -> None:
    page_link(
        "results/transcripts", label or t("transcripts.open"), "forum", bot=bot, run=run, conversation=conversation
    )


def open_transcript(bot: str, run: str, conversation: str) -> None:
    st.switch_page("pages/results/transcripts.py", query_params={"bot": bot, "run": run, "conversation": conversation})


def scores_link(bot: str, run: str, label: str = "") -> None:
    page_link("results/scores", label or t("run.open_results"), "bar_chart", bot=bot, run=run)


def simulate_link(bot: str, label: str = "") -> None:
    """A link to the page that starts a run."""
    page_link("simulate/run", label or t("run.title"), "play_circle", bot=bot)


def calls_link(conversation: str, count: int) -> None:
    """A link to the calls that were made for a conversation, if there are any."""
    if count:
        label = t("calls.of_conversation", n=f"{count:,}")
        page_link("settings/calls", label, "receipt_long", conversation=conversation)


def bot_settings_link(bot: str) -> None:
    """A link to the settings of a bot that cannot be read."""
    page_link("build/bot", t("common.fix_bot_settings"), "build", bot=bot)
