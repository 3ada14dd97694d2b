"""Entries of *What to fix* that people marked as fixed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from core.base.frozen_model import FrozenModel
from core.store.database import Repository, now
from core.store.schema import FIXED_ENTRIES

FIXED = "fixed"
MAX_NAME = 300  # characters of a document's and a scenario's name
EntryKey = tuple[str, str, str]  # cause, document, scenario


class FixedEntry(FrozenModel):
    bot: str
    cause: str
    document: str
    scenario_id: str
    run_id: str  # the run that showed the failure
    note: str
    created_at: datetime

    @property
    def key(self) -> EntryKey:
        return self.cause, self.document, self.scenario_id


class FixedEntryRepository(Repository):
    def add(self, bot: str, entry: EntryKey, run_id: str, note: str = "") -> None:
        """Mark an entry as fixed; replaces an earlier mark on it."""
        key = _key(bot, entry)
        row = {**key, "run_id": run_id, "state": FIXED, "note": note.strip(), "created_at": now()}
        self._db.upsert(FIXED_ENTRIES, row, tuple(key))

    def remove(self, bot: str, entry: EntryKey) -> None:
        self._db.execute(
            delete(FIXED_ENTRIES).where(*(FIXED_ENTRIES.c[name] == value for name, value in _key(bot, entry).items()))
        )

    def of_bot(self, bot: str) -> list[FixedEntry]:
        """The fixed entries of a bot, the newest first."""
        statement = select(*(FIXED_ENTRIES.c[name] for name in FixedEntry.model_fields)).where(
            FIXED_ENTRIES.c.bot == bot
        )
        rows = self._db.mappings(statement.order_by(FIXED_ENTRIES.c.created_at.desc(), FIXED_ENTRIES.c.id.desc()))
        return [FixedEntry.model_validate(dict(row)) for row in rows]


def _key(bot: str, entry: EntryKey) -> dict[str, str]:
    cause, document, scenario = entry
    return {"bot": bot, "cause": cause, "document": document[:MAX_NAME], "scenario_id": scenario[:MAX_NAME]}
