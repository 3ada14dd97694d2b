"""A file of answers stored as a run: a conversation of one turn for each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Bot, Scenario
from core.runs.judging.answer_files import FileAnswer
from core.store.database import now
from core.store.rows import ConversationRow, RunRow, conversation_id
from core.store.store import Store


class FileRun(NamedTuple):
    """A file of answers of a bot that is about to be judged; owner: who judges it; engine: the name of what judges."""

    id: str
    bot: Bot
    name: str
    judges: Sequence[str]
    answers: Sequence[FileAnswer]
    owner: str = ""
    engine: str = ""


def store_answers(store: Store, file: FileRun) -> list[tuple[str, int]]:
    """Store a file as a run; gives the ids of each conversation and its turn."""
    bot = file.bot
    run = RunRow(
        id=file.id,
        bot=bot.id,
        name=file.name,
        language=bot.language,
        status="running",
        seed=0,
        max_turns=1,
        total=len(file.answers),
        created_at=now(),
        plan={"bot": bot.id, "file": file.name, "judges": list(file.judges)},
        owner=file.owner,
    )
    conversations = [_conversation(file, number, answer) for number, answer in enumerate(file.answers, 1)]
    store.runs.create(run, {"guidelines": bot.guidelines, "engine": file.engine}, conversations)
    samples = {row.id: answer.sample for row, answer in zip(conversations, file.answers, strict=True)}
    return list(store.conversations.add_answers(samples).items())


def _conversation(file: FileRun, number: int, answer: FileAnswer) -> ConversationRow:
    sample = answer.sample
    return ConversationRow(
        id=conversation_id(file.id, number),
        run_id=file.id,
        bot=file.bot.id,
        number=number,
        scenario_id=answer.id,
        scenario=Scenario(
            id=answer.id,
            question=sample.question,
            intent=sample.intent,
            facts=sample.facts,
            reference="\n".join(sample.reference),
            kind=sample.kind or "faq",
        ),
        persona_id=answer.system,
        persona_name=answer.system,
        kind=sample.kind or "",
        question=sample.question,
    )
