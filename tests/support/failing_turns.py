"""Runs with turns that lost points, for tests of what to fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.base.types import Answer, Clarify, Hit, Passage, Persona, Scenario, Score, Turn
from core.runs.plan import Plan
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store
from tests.support.small_bot import a_turn

EXPENSES = Scenario(
    id="q1", question="交通費の精算の期限はいつですか", reference="翌月の10日までです。", needs_asking=False
)
VAGUE = Scenario(
    id="q2",
    question="休暇について教えてください",
    intent="子の看護休暇の日数を知りたい",
    reference="年に5日です。",
    kind="vague",
    needs_asking=True,
)
LINE = "交通費は翌月の10日までに経費システムで精算します。"


def answering(text: str, *found: tuple[str, str], query: str = "", answered: bool = True, said: str = "") -> Turn:
    """A turn that answered from (document, text) passages."""
    hits = tuple(
        Hit(passage=Passage(id=f"p{n}", document=document, title="題", heading="見出し", text=source), score=1.0)
        for n, (document, source) in enumerate(found)
    )
    reply = Answer(text=text, cited=(1,) if answered else (), answered=answered)
    message = said or EXPENSES.question
    return a_turn(message).model_copy(update={"reply": reply, "hits": hits, "query": query or message})


def asking(text: str = "どの休暇ですか。", said: str = "") -> Turn:
    """A turn that asked a clarifying question."""
    turn = a_turn(said or EXPENSES.question)
    route = turn.route.model_copy(update={"decision": "ask", "ask": text})
    return turn.model_copy(update={"reply": Clarify(text=text), "route": route, "hits": (), "query": ""})


def scores(overall: float | None = 0.2, **others: Any) -> list[Score]:
    """Verdicts: Overall, and by the judge's name correctness, sufficiency, groundedness (yes or no) and so on."""
    names = {"groundedness": ["support", "grounded"], "simulated_user": ["simulated_user"]}
    found = [Score(judge="turn", criterion="overall", value=overall, label=str(overall), version="v")]
    for judge, value in others.items():
        label = value if isinstance(value, str) else "Yes" if value else "No"
        number = 0.0 if isinstance(value, str) else float(value)
        found += [
            Score(judge=judge, criterion=name, value=number, label=label, version="v")
            for name in names.get(judge, [judge])
        ]
    return found


def run_with_failures(
    store: Store,
    cases: Sequence[tuple[Scenario, Sequence[tuple[Turn, Sequence[Score]]]]],
    run_id: str = "run-1",
    bot: str = "komachi",
    plan: Plan | None = None,
    calm: Persona = Persona(id="calm", name="落ち着いた人"),
) -> str:
    """A run that is over: for each scenario its turns with their verdicts."""
    rows = [
        ConversationRow(
            id=f"{run_id}-{number}",
            run_id=run_id,
            bot=bot,
            number=number,
            scenario_id=scenario.id,
            scenario=scenario,
            persona_id="calm",
            persona_name=calm.name,
            kind=scenario.kind,
            question=scenario.question,
        )
        for number, (scenario, _) in enumerate(cases, 1)
    ]
    run = RunRow(
        id=run_id,
        bot=bot,
        name="",
        language="ja",
        status="running",
        seed=1,
        max_turns=3,
        total=len(rows),
        created_at=now(),
        plan=(plan or Plan(bot=bot)).model_dump(mode="json"),
    )
    stored = {"personas": [calm.model_dump()], "scenarios": [scenario.model_dump() for scenario, _ in cases]}
    store.runs.create(run, stored, rows)
    for row, (_, turns) in zip(rows, cases, strict=True):
        store.conversations.start(row.id)
        for number, (turn, turn_scores) in enumerate(turns, 1):
            store.scores.add(store.conversations.add_turn(row.id, number, turn), turn_scores)
        store.conversations.finish(row.id, "done")
    store.runs.finish(run_id, "done")
    return run_id
