"""What people marked: entries of what to fix that were fixed (a cause, a document and a scenario of a bot)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from core.base.frozen_model import FrozenModel
from core.store.database import Database, now
from core.store.schema import MARKS

FIXED = "fixed"
NAME = 300  # characters of a document's and a scenario's name
EntryKey = tuple[str, str, str]  # cause, document, scenario


class FailureMark(FrozenModel):
    """A person's note that a cause in a document is fixed; run_id: the run that showed it."""

    bot: str
    cause: str
    document: str
    scenario_id: str
    run_id: str
    note: str
    created_at: datetime

    @property
    def key(self) -> EntryKey:
        """The entry that it is on."""
        return self.cause, self.document, self.scenario_id


class FailureMarkRepository:
    """The marks of a bot's entries of what to fix."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, bot: str, entry: EntryKey, run_id: str, note: str = "") -> None:
        """Mark an entry (cause, document, scenario); marked again, the newer mark counts."""
        key = _key(bot, entry)
        row = {**key, "run_id": run_id, "state": FIXED, "note": note.strip(), "created_at": now()}
        self._db.upsert(MARKS, row, tuple(key))

    def remove(self, bot: str, entry: EntryKey) -> None:
        """Take a mark back."""
        self._db.execute(delete(MARKS).where(*(MARKS.c[name] == value for name, value in _key(bot, entry).items())))

    def of_bot(self, bot: str) -> list[FailureMark]:
        """The marks on a bot's entries, the newest first."""
        statement = select(*(MARKS.c[name] for name in FailureMark.model_fields)).where(MARKS.c.bot == bot)
        rows = self._db.mappings(statement.order_by(MARKS.c.created_at.desc(), MARKS.c.id.desc()))
        return [FailureMark.model_validate(dict(row)) for row in rows]


def _key(bot: str, entry: EntryKey) -> dict[str, str]:
    cause, document, scenario = entry
    return {"bot": bot, "cause": cause, "document": document[:NAME], "scenario_id": scenario[:NAME]}
