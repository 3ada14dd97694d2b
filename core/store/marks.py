"""Marks of people on what to fix: an entry is a cause, a document and a scenario of a bot."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, Table, delete, select

from core.base.types import FrozenModel
from core.store.database import Database, now
from core.store.put import put
from core.store.retry import lasting
from core.store.schema import Base

MARKS: Table = Base.metadata.tables["marks"]
FIXED = "fixed"


class MarkRow(FrozenModel):
    """A mark on an entry; run_id: the run in which it was seen."""

    bot: str
    cause: str
    document: str
    scenario_id: str
    run_id: str
    state: str
    note: str
    created_at: datetime

    @property
    def key(self) -> tuple[str, str, str]:
        """The entry that it is on."""
        return self.cause, self.document, self.scenario_id


class MarkTables:
    """The part of the store that keeps marks."""

    db: Database

    @lasting
    def mark(self, bot: str, key: tuple[str, str, str], run_id: str, note: str = "", state: str = FIXED) -> None:
        """Mark an entry (cause, document, scenario); marked again, the newer one counts."""
        cause, document, scenario = key
        row = {"bot": bot, "cause": cause, "document": document[:300], "scenario_id": scenario[:300], "run_id": run_id}
        with self.db.write() as connection:
            whole = {**row, "state": state, "note": note.strip(), "created_at": now()}
            put(connection, MARKS, whole, ("bot", "cause", "document", "scenario_id"))

    @lasting
    def unmark(self, bot: str, key: tuple[str, str, str]) -> None:
        """Take a mark back."""
        with self.db.write() as connection:
            connection.execute(delete(MARKS).where(_on(bot, key)))

    @lasting
    def marks(self, bot: str) -> list[MarkRow]:
        """The marks on a bot's entries, the newest first."""
        wanted = select(*(MARKS.c[name] for name in MarkRow.model_fields)).where(MARKS.c.bot == bot)
        with self.db.read() as connection:
            rows = connection.execute(wanted.order_by(MARKS.c.created_at.desc(), MARKS.c.id.desc())).mappings()
            return [MarkRow.model_validate(dict(row)) for row in rows]


def _on(bot: str, key: tuple[str, str, str]) -> ColumnElement[bool]:
    cause, document, scenario = key
    c = MARKS.c
    same = (c.cause == cause) & (c.document == document[:300]) & (c.scenario_id == scenario[:300])
    return (c.bot == bot) & same
