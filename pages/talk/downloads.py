"""A conversation as a file: Markdown for people, JSON for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import streamlit as st

from core.base.types import Answer, Bot, Passage
from core.store.rows import TurnRow
from pages.i18n.translate import stored_error_text, t

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+\-!|~$&=:]|(?<=\d)\.)")


def show_downloads(bot: Bot, rows: list[TurnRow]) -> None:
    """The conversation as Markdown and as JSON."""
    name = f"kiku-{bot.id}"
    readable = as_markdown(t("chat.title", bot=bot.name), t("chat.person"), bot.name, rows)
    st.download_button(t("chat.export_md"), readable, f"{name}.md", "text/markdown", on_click="ignore")
    st.download_button(
        t("chat.export_json"), as_json(bot.id, rows), f"{name}.json", "application/json", on_click="ignore"
    )


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
    cited = (
        row.turn.reply.cited if row.turn.route else range(1, len(seen) + 1)
    )  # an external bot cites all that it reports
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
