"""A file of answers stored as a run: a conversation of one turn for each answer."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Bot, Scenario
from core.runs.answer_files import FileAnswer
from core.store.database import now
from core.store.rows import ConversationRow, RunRow, conversation_id
from core.store.store import Store


def store_answers(
    store: Store, run: RunRow, rows: Sequence[FileAnswer], bot: Bot, engine: str = ""
) -> list[tuple[str, int]]:
    """Store the run; engine: the name of what judges. Gives the ids of each conversation and its turn."""
    conversations = [_conversation(run.id, bot, number, row) for number, row in enumerate(rows, 1)]
    store.runs.create(run, {"guidelines": bot.guidelines, "engine": engine}, conversations)
    samples = {conversation.id: row.sample for conversation, row in zip(conversations, rows, strict=True)}
    return list(store.conversations.add_answers(samples).items())


def run_of_file(run_id: str, bot: Bot, name: str, rows: int, judges: Sequence[str], owner: str) -> RunRow:
    """The run of a file that is about to be judged."""
    return RunRow(
        id=run_id,
        bot=bot.id,
        name=name,
        language=bot.language,
        status="running",
        seed=0,
        max_turns=1,
        total=rows,
        created_at=now(),
        plan={"bot": bot.id, "file": name, "judges": list(judges)},
        owner=owner,
    )


def _conversation(run_id: str, bot: Bot, number: int, row: FileAnswer) -> ConversationRow:
    sample = row.sample
    return ConversationRow(
        id=conversation_id(run_id, number),
        run_id=run_id,
        bot=bot.id,
        number=number,
        scenario_id=row.id,
        scenario=Scenario(
            id=row.id,
            question=sample.question,
            intent=sample.intent,
            facts=sample.facts,
            reference="\n".join(sample.reference),
            kind=sample.kind or "faq",
        ),
        persona_id=row.system,
        persona_name=row.system,
        kind=sample.kind or "",
        question=sample.question,
    )
