"""Everything a run used, stored with it so that two runs can be compared years later, and read back from there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from core.analysis.snapshot_changes import Change, changes_between
from core.base.bot_folder import load_bot, parse_bot
from core.base.errors import BadInput
from core.base.external_bots import PythonBot
from core.base.files import read_bytes
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine
from core.base.prompt_files import file_of
from core.base.settings import settings
from core.base.types import Bot, Persona, Scenario
from core.bot.external.python import files_of
from core.documents.documents import Document, decode, read_documents
from core.documents.example_questions import FILE as EXAMPLES
from core.llm.roles import ModelEngine
from core.runs.plan import Case, Plan
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store
from core.text.synonyms import FILE as SYNONYMS


class Snapshot(FrozenModel):
    """What went into a run.

    documents (with example questions and synonyms), code (of a bot that is a Python function), judges: by name, each
    with its SHA-256 or version; prompts: the texts of the bot's own; models: by role.
    """

    bot_toml: str
    documents: dict[str, str]
    code: dict[str, str] = {}
    prompts: dict[str, str] = {}
    personas: tuple[Persona, ...]
    scenarios: tuple[Scenario, ...]
    judges: dict[str, str]
    engine: str
    models: dict[str, dict[str, Any]] = {}
    seed: int


def take_snapshot(plan: Plan, bot: Bot, cases: Sequence[Case], engine: Engine, judges: dict[str, str]) -> Snapshot:
    """The snapshot of a run that is about to begin; raises BadInput if a document cannot be read."""
    return Snapshot(
        bot_toml=(bot.folder / "bot.toml").read_text("utf-8-sig"),
        documents={
            name: hashlib.sha256(text.encode()).hexdigest()
            for name, text in (*read_documents(bot), *_search_files(bot))
        },
        code=files_of(bot, bot.external) if isinstance(bot.external, PythonBot) else {},
        prompts=bot.prompts,
        personas=tuple({case.persona.id: case.persona for case in cases}.values()),
        scenarios=tuple({case.scenario.id: case.scenario for case in cases}.values()),
        judges=judges,
        engine=engine_name(engine),
        models=_models(engine),
        seed=plan.seed,
    )


def engine_name(engine: Engine) -> str:
    """The name by which what was made with an engine remembers it."""
    return str(getattr(engine, "name", type(engine).__name__))


def changed_parts(stored: Mapping[str, Any], now: Snapshot) -> tuple[str, ...]:
    """What differs between a stored snapshot and one taken now, by name: files, judges, engine, models."""
    changes = changes_between(stored, now.model_dump(mode="json"), {}, {})
    return tuple(dict.fromkeys(name for change in changes if (name := _part_of(change))))


def _part_of(change: Change) -> str:
    """What a change is a part of; "" for who met which scenario."""
    match change.area:
        case "bot":
            return "bot.toml"
        case "prompts":
            return file_of(change.name)
        case "documents" | "code" | "judges":
            return change.name
        case "engine":
            return "engine" if change.name == "engine" else "models"
        case _:
            return ""


def stored_bot(store: Store, run: RunRow) -> Bot | None:
    """The bot as it was in a run, with the prompts of today; None if the run has none, or one of another version of Kiku."""
    source = store.runs.snapshot(run.id).get("bot_toml")
    with suppress(BadInput):
        return parse_bot(str(source).encode(), settings().knowledge_dir / run.bot) if source else None
    return None


def bot_of_run(store: Store, run: RunRow) -> Bot:
    """The bot with the guidelines of the run's time; a bot that is gone is known by what the run stored of it."""
    if stored := stored_bot(store, run):
        return stored
    try:
        bot = load_bot(run.bot)
    except BadInput:
        folder = settings().knowledge_dir / run.bot
        bot = Bot(id=run.bot, folder=folder, name=run.bot, language=run.language)
    return bot.model_copy(update={"guidelines": str(store.runs.snapshot(run.id).get("guidelines", bot.guidelines))})


def date_of(run: RunRow) -> date | None:
    """The date that a run went by; None for one that stored none."""
    stored = run.plan.get("today")
    return date.fromisoformat(str(stored)) if stored else None


def personas_of(store: Store, run_id: str) -> dict[str, Persona]:
    """The personas of a run as they were when it began, by id."""
    return {
        persona["id"]: Persona.model_validate(persona) for persona in store.runs.snapshot(run_id).get("personas", ())
    }


def case_of(row: ConversationRow, personas: Mapping[str, Persona]) -> Case:
    """A conversation as it was planned."""
    return Case(number=row.number, scenario=row.scenario, persona=personas[row.persona_id], repeat=row.repeat)


def _search_files(bot: Bot) -> list[Document]:
    """What widens the search: the files of example questions and of synonyms that the bot has."""
    paths = [bot.folder / name for name in (EXAMPLES, SYNONYMS)]
    return [Document(path.name, decode(path.name, read_bytes(path))) for path in paths if path.is_file()]


def _models(engine: Engine) -> dict[str, dict[str, Any]]:
    """Model, settings and server by role, without keys; empty on the embedded engine."""
    if not isinstance(engine, ModelEngine):
        return {}
    return {
        role: {**model.model_dump(exclude={"server"}), "server": model.server.name}
        for role, model in engine.roles.items()
    }
