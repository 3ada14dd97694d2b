"""Earlier runs in a database, and how to look at all of it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from core.base.bot_folder import load_bot
from core.base.calls import Call
from core.base.errors import BudgetReached, stored_error
from core.base.types import Sample, Scenario, Score
from core.runs.judging.answer_files import FileAnswer
from core.runs.judging.jobs import FileRun, store_answers
from core.runs.plan import Plan
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.schema import METADATA
from core.store.store import Store
from tests.support.small_bot import a_turn

BUDGET = stored_error(
    BudgetReached("The budget of 10 calls is used up. Raise it to go on.", "budget_reached", budget=10)
)
NASTY = "**太字** :home: $x$"


def a_score(value: float, judge: str = "turn", criterion: str = "overall", version: str = "v1") -> Score:
    return Score(judge=judge, criterion=criterion, value=value, label="4", reasons="理由", version=version)


def a_run(
    store: Store,
    run_id: str,
    name: str = "小町",
    ending: str = "done",
    failed: int = 0,
    left: int = 0,
    total: int = 4,
    bot: str = "komachi",
    **plan: Any,
) -> None:
    """A run of four conversations (or `total`): some are left, the last of the others failed, the rest score 0.8."""
    run = RunRow(
        id=run_id, bot=bot, name=name, language="ja", status="running", seed=7, max_turns=3, total=total,
        created_at=now(), plan=Plan(bot=bot, seed=7, name=name, **plan).model_dump(mode="json"),
    )  # fmt: skip
    store.runs.create(
        run, {"engine": "embedded"}, [a_conversation(run_id, number, bot) for number in range(1, total + 1)]
    )
    for number in range(1, total + 1 - left):
        store.conversations.start(f"{run_id}-{number}")
        if number > total - left - failed:
            store.conversations.fail(f"{run_id}-{number}", f"モデルが倒れました {NASTY} {number}")
        else:
            store.scores.add(store.conversations.add_turn(f"{run_id}-{number}", 1, a_turn()), [a_score(0.8)])
            store.conversations.finish(f"{run_id}-{number}", "done", "ありがとう")
    if ending != "running":
        store.runs.finish(run_id, ending, BUDGET if plan else "")


def a_conversation(run_id: str, number: int, bot: str = "komachi") -> ConversationRow:
    scenario = Scenario(id=f"q{number}", question=f"期限は？ {number}", kind="faq", needs_asking=False)
    return ConversationRow(
        id=f"{run_id}-{number}", run_id=run_id, bot=bot, number=number, scenario_id=scenario.id,
        scenario=scenario, persona_id="calm", persona_name="落ち着いた人", kind="faq", question=scenario.question,
    )  # fmt: skip


def a_file(store: Store, run_id: str) -> None:
    """A judged file of one answer."""
    rows = [FileAnswer(id="1", sample=Sample(question="期限は？", answer="10日です。", reference=("10日",)))]
    file = FileRun(run_id, load_bot("komachi"), "answers.csv", ["correctness"], rows)
    for _, turn in store_answers(store, file):
        store.scores.add(turn, [a_score(0.5, "correctness", "correct")])
    store.conversations.finish(f"{run_id}-00001", "")
    store.runs.finish(run_id, "done")


def a_call(run_id: str) -> Call:
    return Call(
        created_at=now(), run_id=run_id, purpose="Respond", role="bot", server="s", model="tiny", output_mode="text", key="k",
        request="{}", reply="{}",
    )  # fmt: skip


def everything(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with store.db.read() as connection:
        tables = METADATA.sorted_tables
        return {one.name: [tuple(row) for row in connection.execute(select(one))] for one in tables}
