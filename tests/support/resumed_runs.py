"""What tests of broken-off runs share."""

from __future__ import annotations

from typing import Any

from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store

PLAN = Plan(bot="komachi", cross=True, seed=1, repeats=2)


def content(store: Store, run_id: str) -> list[Any]:
    """Everything of a run but its times and numbers; each turn stands there once."""
    found: list[Any] = []
    for row in store.conversations.of_run(run_id):
        turns = store.conversations.turns(row.id)
        assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
        said = [
            (t.user_text, t.user_state, t.reply_text, [(s.judge, s.criterion, s.value, s.label, s.reasons) for s in t.scores])
            for t in turns
        ]  # fmt: skip
        found.append(
            (row.number, row.scenario_id, row.persona_id, row.status, row.ending, row.closing, row.error, said)
        )
    return found


def ended(runner: Runner, run_id: str) -> str:
    assert runner.wait(run_id, 60)
    return run_id
