"""Answers that came from a file, as turns of a run."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, insert

from core.base.types import Sample
from core.store.database import Database, now
from core.store.recording import kept_turn, new_id
from core.store.runs import TURNS

_NONE = {"user_state": "", "decision": "", "row": None, "answered": None, "query": "", "record": None}


class AnswerTables:
    """The part of the store that keeps answers which no bot of ours gave."""

    db: Database

    def add_answers(self, samples: Mapping[str, Sample]) -> dict[str, int]:
        """Store one answer per conversation, in one transaction; gives the id of each conversation's turn."""
        rows = {mark: _row(mark, sample) for mark, sample in samples.items()}

        def keep(connection: Connection) -> dict[str, int]:
            return {mark: new_id(connection.execute(insert(TURNS), row)) for mark, row in rows.items()}

        def kept(connection: Connection) -> dict[str, int] | None:
            found = {mark: known for mark, row in rows.items() if (known := kept_turn(connection, row))}
            return found if len(found) == len(rows) else None

        return self.db.transact(keep, kept)


def _row(conversation: str, sample: Sample) -> dict[str, object]:
    return {
        **_NONE,
        "conversation_id": conversation,
        "number": 1,
        "user_text": sample.question,
        "reply_text": sample.answer,
        "sample": sample.model_dump_json(),
        "seconds": 0.0,
        "error": "",
        "created_at": now(),
    }
