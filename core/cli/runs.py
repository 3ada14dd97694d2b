"""`runs`: the runs so far, newest first."""

from __future__ import annotations

import argparse
import json
from typing import Any

from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.types import OVERALL, TURN_JUDGE
from core.cli.check import find_damage
from core.runs.heartbeat import find_interrupted
from core.store.rows import RunRow
from core.store.store import Store, open_store


def run(arguments: argparse.Namespace) -> int:
    """List the runs; raises BadInput if there are some, and none can be read."""
    store = open_store()
    find_interrupted(store)
    runs = store.runs.all(load_bot(arguments.bot).id if arguments.bot else None)[: arguments.limit]
    if not runs and not arguments.json:
        if find_damage():
            raise BadInput("No run can be read: the database is damaged. `python -m core check` says what to do.")
        print("There are no runs yet. Start one with: python -m core simulate --bot BOT")
    scores = store.scores.mean_scores_by_run(TURN_JUDGE, OVERALL)
    for listed in runs:
        row = _as_json(store, listed, scores.get(listed.id))
        print(json.dumps(row, ensure_ascii=False) if arguments.json else _as_text(row))
    return 0


def _as_json(store: Store, run: RunRow, score: float | None) -> dict[str, Any]:
    progress = store.runs.progress(run.id)
    return {
        "run": run.id,
        "bot": run.bot,
        "name": run.name,
        "status": run.status,
        "created_at": run.created_at.isoformat(timespec="seconds"),
        "seed": run.seed,
        "score": None if score is None else round(score, 6),
        "conversations": progress.total,
        "finished": progress.finished,
        "done": progress.done,
        "failed": progress.failed,
    }


def _as_text(row: dict[str, Any]) -> str:
    score = "none " if row["score"] is None else f"{row['score']:.3f}"
    finished = f"{row['finished']}/{row['conversations']}"
    counts = f"{finished:>9} conversations, {row['failed']} failed"
    return f"{row['run']:<24} {row['created_at'][:16]}  {row['status']:<12} {score}  {counts}"
