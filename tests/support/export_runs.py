"""A small run with everything that is awkward to take away."""

from __future__ import annotations

import io
from typing import Any

import openpyxl

from core.base.types import Score
from core.export.run_export import Export
from core.runs.plan import Plan
from core.store.database import now
from core.store.rows import RunRow
from core.store.store import Store
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_conversation

FORMULA, SCRIPT = "=1+1", "</script><script>alert(1)</script><img src=http://192.0.2.1/x.png>"
TEXTS = (FORMULA, "期限は？\x07\x00", '=HYPERLINK("http://192.0.2.1")', SCRIPT)
VALUES = (0.4, 1.0, 0.9, None)


def an_awkward_run(store: Store, run_id: str = "r1", conversations: int = 5) -> str:
    """Conversations with a low, a good, a fair and an unscored answer, and one that failed before anything was said."""
    plan = Plan(bot="komachi", judges=("turn", "correctness")).model_dump(mode="json")
    run = RunRow(
        id=run_id, bot="komachi", name="=名前", language="ja", status="running", seed=7, max_turns=2,
        total=conversations, created_at=now(), plan=plan,
    )  # fmt: skip
    rows = [a_conversation(run_id, number) for number in range(1, conversations + 1)]
    store.runs.create(run, {"engine": "embedded", "bot_toml": "name = '小町'"}, rows)
    for number in range(1, conversations + 1):
        mark, kind = f"{run_id}-{number}", (number - 1) % 5
        store.conversations.start(mark)
        if kind == 4:
            store.conversations.fail(mark, "モデルが倒れました")
            continue
        for turn in (1, 2) if kind == 0 else (1,):
            turn_id = store.conversations.add_turn(
                mark, turn, a_turn(TEXTS[kind], f"10日までです。[1] ＧＯＯＧＬＥ ﾊﾟｿｺﾝ {kind}"), ""
            )
            store.scores.add(turn_id, _scores(VALUES[kind]))
        store.conversations.finish(mark, "done", "@ありがとう")
    store.runs.finish(run_id, "done")
    return run_id


def _scores(value: float | None) -> list[Score]:
    error = "" if value is not None else "読めない返事"
    label = "" if value is None else f"{value * 5:g}"
    shown_text = Score(
        judge="turn", criterion="overall", value=value, label=label, reasons="" if error else "-足りない", error=error, version="v1"
    )  # fmt: skip
    return [shown_text, shown_text.model_copy(update={"criterion": "relevance"})]


def an_export(store: Store, run_id: str, language: str = "ja", line: float = 0.9) -> Export:
    return Export(store, run_id, language, line, line)  # type: ignore[arg-type]


def book_of(store: Store, run: str = "r1", language: str = "ja") -> Any:
    """The workbook of a run, as another library reads it."""
    out = io.BytesIO()
    an_export(store, run, language).write("xlsx", out)
    return openpyxl.load_workbook(out)


def written(store: Store, form: str, sheet: str = "conversations") -> bytes:
    """A run in some form."""
    out = io.BytesIO()
    an_export(store, "r1").write(form, out, sheet)  # type: ignore[arg-type]
    return out.getvalue()
