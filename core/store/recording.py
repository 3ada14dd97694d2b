"""What a run records as it goes: each turn as it ends, and the verdicts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select

from core.base.types import Clarify, Score, Turn
from core.store.database import Database, now
from core.store.leases import hold, hold_claim
from core.store.quick import Whose, new_scores, new_turn
from core.store.records import ScoreRow
from core.store.retry import lasting
from core.store.runs import SCORES, TURNS

_SAME = ("judge", "criterion", "version", "repeat")
# Made once: they are executed for every row
_NEW_TURN, _NEW_SCORES = insert(TURNS), insert(SCORES)
_ALONE = select(TURNS.c.id).where(TURNS.c.id == bindparam("turn")).with_for_update(key_share=True)
_VERDICTS = select(SCORES.c.id, *(SCORES.c[name] for name in _SAME), SCORES.c.value).where(
    SCORES.c.turn_id == bindparam("turn")
)


class RecordTables:
    """The part of the store that records the turns of runs and their verdicts."""

    db: Database

    def add_turn(
        self,
        conversation_id: str,
        number: int,
        turn: Turn,
        user_state: str = "",
        scores: Sequence[Score] = (),
        owner: str | None = None,
        claim: datetime | None = None,
    ) -> int:
        """Store a finished turn, with its scores where they are there already, in one transaction; gives its id."""
        row = {**turn_columns(turn), "conversation_id": conversation_id, "number": number, "user_state": user_state}
        row["created_at"] = now()
        quick = None if scores else new_turn(self.db, Whose(conversation_id, owner, claim), row)
        if quick is not None:
            return quick

        def keep(connection: Connection) -> int:
            hold(connection, "conversation", conversation_id, owner)
            hold_claim(connection, "conversation", conversation_id, claim)
            turn_id = new_id(connection.execute(_NEW_TURN, row))
            _insert_scores(connection, turn_id, scores)
            return turn_id

        return self.db.transact(keep, lambda connection: kept_turn(connection, row))

    @lasting
    def add_scores(
        self,
        turn_id: int,
        scores: Sequence[Score],
        owner: str | None = None,
        claim: datetime | None = None,
        repeat: int = 1,
    ) -> None:
        """Store the verdicts on a turn; an earlier one of the same judge, criterion, version and repeat gives way.

        A verdict stays where the new one is unscored, and so does an old error where the new one is an error, too.
        """
        if new_scores(self.db, Whose(turn_id, owner, claim), scores, repeat):
            return
        with self.db.write() as connection:
            hold(connection, "turn", turn_id, owner)
            hold_claim(connection, "turn", turn_id, claim)
            _insert_scores(connection, turn_id, scores, repeat)


def new_id(done: Any) -> int:
    """The number that the database gave to the row just inserted."""
    return int(done.inserted_primary_key[0])


def kept_turn(connection: Connection, row: Mapping[str, Any]) -> int | None:
    """The id of a turn that is there already, from a try whose end was not heard of."""
    same = (TURNS.c[name] == row[name] for name in ("conversation_id", "number", "created_at"))
    return connection.execute(select(TURNS.c.id).where(*same)).scalar()


def turn_columns(turn: Turn) -> dict[str, Any]:
    """The columns of `turns` that a bot's turn fills; topics are kept without their text, which the documents have."""
    asked = isinstance(turn.reply, Clarify)
    return {
        "user_text": turn.message,
        "reply_text": turn.reply.text,
        "decision": turn.decision,
        "row": turn.route.row if turn.route else None,
        "answered": None if isinstance(turn.reply, Clarify) else turn.reply.answered,
        "query": "" if asked else turn.query,
        "record": turn.model_dump_json(exclude={"topics": {"__all__": {"text"}}}),
        "seconds": turn.seconds.get("total", sum(turn.seconds.values())),
        "error": "",
    }


def score_row(row: Mapping[str, Any]) -> ScoreRow:
    """A verdict as the database has it."""
    return ScoreRow.model_validate({name: row[name] for name in ScoreRow.model_fields})


def _insert_scores(connection: Connection, turn_id: int, scores: Sequence[Score], repeat: int = 1) -> None:
    if not scores:
        return
    # One after the other where two processes judge one turn, so that no verdict is there twice
    connection.execute(_ALONE, {"turn": turn_id})
    found = connection.execute(_VERDICTS, {"turn": turn_id})
    there = {(row.judge, row.criterion, row.version, row.repeat): row for row in found}
    fresh: list[dict[str, object]] = []
    for score in scores:
        old = there.get((score.judge, score.criterion, score.version, repeat))
        if old is not None and score.value is None and (old.value is not None or score.error):
            continue
        if old is not None:
            connection.execute(delete(SCORES).where(SCORES.c.id == old.id))
        fresh.append({**score.model_dump(), "turn_id": turn_id, "repeat": repeat})
    if fresh:
        connection.execute(_NEW_SCORES, fresh)
