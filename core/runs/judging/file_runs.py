"""A file of answers, stored as a run; apart from `answer_files`, which `ask` needs without a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.base.types import Bot, Scenario
from core.runs.judging.answer_files import FileAnswer
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store


class FileRun(NamedTuple):
    """A file of answers that is about to be judged as a run of a bot."""

    id: str
    bot: Bot
    name: str
    judges: Sequence[str]
    answers: Sequence[FileAnswer]
    owner: str = ""  # the process that judges it
    engine: str = ""  # name of the engine that judges it


def store_answers(store: Store, file: FileRun) -> list[tuple[str, int]]:
    """Store a file as a run: a conversation of one turn for each answer. Returns the ids of (conversation, turn)."""
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
    scenario = Scenario(
        id=answer.id,
        question=sample.question,
        intent=sample.intent,
        facts=sample.facts,
        reference="\n".join(sample.reference),
        kind=sample.kind or "faq",
    )
    row = ConversationRow.planned(file.id, file.bot.id, number, scenario, answer.system, answer.system)
    return row.model_copy(update={"kind": sample.kind or ""})
