"""A conversation as a file: Markdown to read, JSON with everything that was decided."""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.base.types import Answer
from core.store.rows import TurnRow
from pages.shared.words import say


def as_markdown(title: str, person: str, bot: str, rows: Sequence[TurnRow]) -> str:
    """The conversation with its sources, for people."""
    parts = [f"# {title}"]
    for row in rows:
        parts.append(f"**{person}**\n\n{row.user_text}")
        if row.turn:
            parts.append(f"**{bot}**\n\n{row.reply_text}{_sources(row)}")
        elif row.error:
            parts.append(f"*{row.error}*")
    return "\n\n".join(parts) + "\n"


def _sources(row: TurnRow) -> str:
    if row.turn is None or not isinstance(row.turn.reply, Answer):
        return ""
    hits = row.turn.hits
    lines = [
        f"- [{n}] {hits[n - 1].passage.document} › {hits[n - 1].passage.heading}"
        for n in row.turn.reply.cited
        if 0 < n <= len(hits)
    ]
    return f"\n\n{say('why.sources')}\n" + "\n".join(lines) if lines else ""


def as_json(bot: str, rows: Sequence[TurnRow]) -> str:
    """Every turn with its whole record, scores and feedback."""
    turns = [row.model_dump(mode="json") for row in rows]
    return json.dumps({"bot": bot, "turns": turns}, ensure_ascii=False, indent=2)
