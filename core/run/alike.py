"""Judging two runs alike: by the language, guidelines and strictness of one of them."""

from __future__ import annotations

from typing import Any

from core.base.bots import parse_bot
from core.base.errors import BadInput
from core.base.settings import settings
from core.store.rows import RunRow
from core.store.store import Store

KEPT = ("strict", "together", "examples")


def how_of_run(store: Store, run: RunRow) -> dict[str, Any]:
    """How the judges of a run judged, as fields of `core.judge.judge.How`, to be used for another run, too."""
    kept = store.snapshot(run.id)
    guidelines = str(kept.get("guidelines", ""))
    if source := kept.get("bot_toml"):
        try:
            guidelines = parse_bot(str(source).encode(), settings().knowledge_dir / run.bot).guidelines
        except BadInput:  # written for a later or an earlier Kiku
            guidelines = ""
    language = run.plan.get("judge_language") or run.language
    return {"language": language, "guidelines": guidelines, **{k: run.plan[k] for k in KEPT if k in run.plan}}
