"""Conversations of runs and their turns: recorded as a run goes on, read as transcripts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Row, RowMapping, Select, case, func, insert, literal, select, update

from core.base.chunks import chunks
from core.base.types import Clarify, Sample, Turn
from core.store.database import AT_ONCE, Database, Repository, new_id, now, with_reconnect
from core.store.leases import ANYBODY, OPEN, Writer, check_lease, stopped_status
from core.store.main_scores import choose_versions, read_versions
from core.store.rows import CaseKey, ConversationRow, FeedbackRow, TurnRow
from core.store.schema import CONVERSATIONS, FEEDBACK, RUNS, SCORES, TURNS
from core.store.scores import score_row

TIMED_TURNS = 400  # turns of a run whose stages are timed
_OF_RUN = select(*(CONVERSATIONS.c[name] for name in ConversationRow.model_fields)).where(
    CONVERSATIONS.c.run_id.is_not(None)
)


class ConversationRepository(Repository):
    """The conversations of the database's runs, with their turns.

    What writes with a `writer` raises LeaseLost if the run is not its owner's, and WriterReplaced if another attempt at the
    conversation has begun.
    """

    def start(self, conversation_id: str, writer: Writer = ANYBODY) -> bool:
        """Take a waiting conversation; false if it does not wait any more.

        With `writer.since` it is also taken from an earlier attempt, which can then write nothing more.
        """
        c, moment = CONVERSATIONS.c, writer.since or now()
        take = update(CONVERSATIONS).where(
            c.id == conversation_id, c.status.in_(OPEN if writer.since else ("waiting",))
        )

        def start(connection: Connection) -> bool:
            check_lease(connection, "conversation", conversation_id, Writer(writer.owner))
            return bool(connection.execute(take.values(status="running", started_at=moment)).rowcount)

        just_started = (c.id == conversation_id) & (c.status == "running") & (c.started_at == moment)

        def done(connection: Connection) -> bool | None:
            return True if connection.execute(select(c.id).where(just_started)).first() else None

        return self._db.transact(start, done)

    def finish(self, conversation_id: str, ending: str, closing: str = "", writer: Writer = ANYBODY) -> None:
        """A conversation came to its end; `closing` is the user's last word. The error of an earlier try is gone."""
        done = {"status": "done", "error": "", "ending": ending, "closing": closing}
        self._set(conversation_id, writer, **done, finished_at=now())

    def finish_waiting(self, conversation_id: str) -> None:
        """An answer of a file is judged; a conversation of a simulation keeps the status it has."""
        waiting = (CONVERSATIONS.c.id == conversation_id) & (CONVERSATIONS.c.status == "waiting")
        self._db.execute(update(CONVERSATIONS).where(waiting).values(status="done", finished_at=now()))

    def fail(self, conversation_id: str, error: str, writer: Writer = ANYBODY) -> None:
        """A conversation broke off; its turns so far stay, and so does the error of an earlier try."""
        self._set(conversation_id, writer, status="failed", error=_first_error(error), finished_at=now())

    def stop(self, conversation_id: str, writer: Writer = ANYBODY) -> None:
        """A conversation was stopped; its turns so far stay."""
        self._set(conversation_id, writer, status=stopped_status(), finished_at=now())

    @with_reconnect
    def fail_waiting(self, run_id: str, error: str, owner: str | None = None) -> None:
        """Nothing of a run could begin: every waiting conversation failed for the same reason."""
        waiting = (CONVERSATIONS.c.run_id == run_id) & (CONVERSATIONS.c.status == "waiting")
        values = {"status": "failed", "error": _first_error(error), "finished_at": now()}
        with self._db.write() as connection:
            check_lease(connection, "run", run_id, Writer(owner))
            connection.execute(update(CONVERSATIONS).where(waiting).values(**values))
            connection.execute(update(RUNS).where(RUNS.c.id == run_id).values(error=error))

    def add_turn(
        self, conversation_id: str, number: int, turn: Turn, user_state: str = "", writer: Writer = ANYBODY
    ) -> int:
        """Store a finished turn. Returns its id."""
        row = {**turn_columns(turn), "conversation_id": conversation_id, "number": number, "user_state": user_state}
        row["created_at"] = now()

        def add(connection: Connection) -> int:
            check_lease(connection, "conversation", conversation_id, writer)
            return new_id(connection.execute(insert(TURNS), row))

        return self._db.transact(add, lambda connection: _stored_turn(connection, row))

    def add_answers(self, samples: Mapping[str, Sample]) -> dict[str, int]:
        """Store an answer from a file for each conversation, in one transaction. Returns the ids of the turns."""
        rows = {conversation: _answer_columns(conversation, sample) for conversation, sample in samples.items()}

        def add(connection: Connection) -> dict[str, int]:
            return {name: new_id(connection.execute(insert(TURNS), row)) for name, row in rows.items()}

        def done(connection: Connection) -> dict[str, int] | None:
            found = {name: turn for name, row in rows.items() if (turn := _stored_turn(connection, row))}
            return found if len(found) == len(rows) else None

        return self._db.transact(add, done)

    def of_run(self, run_id: str, status: str | None = None) -> list[ConversationRow]:
        """The conversations of a run by number; only those of one status if it is named."""
        statement = _OF_RUN.where(CONVERSATIONS.c.run_id == run_id).order_by(CONVERSATIONS.c.number)
        return self._rows(statement if status is None else statement.where(CONVERSATIONS.c.status == status))

    def get(self, conversation_id: str) -> ConversationRow | None:
        """The conversation of a run, or None if there is no such id."""
        return next(iter(self._rows(_OF_RUN.where(CONVERSATIONS.c.id == conversation_id))), None)

    def failed(self, run_id: str, limit: int) -> list[ConversationRow]:
        """The conversations of a run that failed, the last one first, at most so many."""
        c = CONVERSATIONS.c
        newest = (c.finished_at.desc().nulls_last(), c.number.desc())
        failed = _OF_RUN.where(c.run_id == run_id, c.status == "failed")
        return self._rows(failed.order_by(*newest).limit(limit))

    def count_failed(self, run_ids: Iterable[str]) -> dict[str, int]:
        """How many conversations failed, of each run that has some."""
        c = CONVERSATIONS.c
        statement = select(c.run_id, func.count()).where(c.run_id.in_(list(run_ids)), c.status == "failed")
        return {str(run): int(count) for run, count in self._db.rows(statement.group_by(c.run_id))}

    def first_messages(self, run_id: str) -> dict[CaseKey, str]:
        """What the simulated user wrote first in each conversation of a run that got so far, by its case."""
        c, first = CONVERSATIONS.c, TURNS.c.number == 1
        key = [c[name] for name in CaseKey._fields]
        statement = select(*key, TURNS.c.user_text).join_from(CONVERSATIONS, TURNS).where(c.run_id == run_id, first)
        return {CaseKey(*case): str(text) for *case, text in self._db.rows(statement)}

    def turns(self, conversation_id: str, versions: Mapping[str, str] | None = None) -> list[TurnRow]:
        """The turns of a conversation in order, with feedback and the scores of the versions that count in its run.

        versions: of each judge, if known (`RunTables.chosen_versions`); scores of other judges are left out.
        """
        if versions is None:
            run_id = self._db.rows(select(CONVERSATIONS.c.run_id).where(CONVERSATIONS.c.id == conversation_id))
            versions = choose_versions(read_versions(self._db, str(run_id[0][0]))) if run_id else {}
        return [_counted(turn, versions) for turn in read_turns(self._db, conversation_id)]

    def turns_in_every_version(self, conversation_id: str) -> list[TurnRow]:
        """The turns of a conversation in order, each with all its scores, whichever version they are by."""
        return read_turns(self._db, conversation_id)

    def turn_texts(self, turns: Iterable[int], *columns: str) -> dict[int, Row[*tuple[Any, ...]]]:
        """Some columns of these turns by their ids: rows of (id, column, …); those that are still there."""
        statement, ids = select(TURNS.c.id, *(TURNS.c[name] for name in columns)), sorted(set(turns))
        queries = (statement.where(TURNS.c.id.in_(part)) for part in chunks(ids, AT_ONCE))
        return {int(row[0]): row for query in queries for row in self._db.rows(query)}

    @with_reconnect
    def stage_seconds(self, run_id: str) -> list[dict[str, float]]:
        """How many seconds each stage took, of about TIMED_TURNS turns spread over the whole run (a bot's own only)."""
        of_run, joined = CONVERSATIONS.c.run_id == run_id, CONVERSATIONS.join(TURNS)
        with self._db.read() as connection:
            count = connection.execute(select(func.count()).select_from(joined).where(of_run)).scalar_one()
            spread = CONVERSATIONS.c.number % max(1, count // TIMED_TURNS) == 0
            rows = connection.execute(select(TURNS.c.record).select_from(joined).where(of_run, spread)).scalars()
            return [json.loads(record)["seconds"] for record in rows if record]

    def _rows(self, statement: Select[*tuple[Any, ...]]) -> list[ConversationRow]:
        return [ConversationRow.model_validate(dict(row)) for row in self._db.mappings(statement)]

    @with_reconnect
    def _set(self, conversation_id: str, writer: Writer, **values: Any) -> None:
        with self._db.write() as connection:
            check_lease(connection, "conversation", conversation_id, writer)
            connection.execute(update(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id).values(**values))


@with_reconnect
def read_turns(db: Database, conversation_id: str) -> list[TurnRow]:
    """The turns of a conversation or chat in order, each with all its scores and feedback."""
    statement = select(TURNS).where(TURNS.c.conversation_id == conversation_id).order_by(TURNS.c.number)
    with db.read() as connection:
        rows = connection.execute(statement).mappings().all()
        ids = [int(row["id"]) for row in rows]
        scores = _by_turn(connection, select(SCORES).where(SCORES.c.turn_id.in_(ids)).order_by(SCORES.c.id))
        pressed = _by_turn(connection, select(FEEDBACK).where(FEEDBACK.c.turn_id.in_(ids)).order_by(FEEDBACK.c.id))
    return [_turn_row(row, scores[row["id"]], pressed[row["id"]]) for row in rows]


def turn_columns(turn: Turn) -> dict[str, Any]:
    """The columns of `turns` that a bot's turn fills; sections go without their text, which the documents have."""
    asked = isinstance(turn.reply, Clarify)
    return {
        "user_text": turn.message,
        "reply_text": turn.reply.text,
        "decision": turn.decision,
        "rule": turn.route.rule if turn.route else None,
        "answered": None if isinstance(turn.reply, Clarify) else turn.reply.answered,
        "query": "" if asked else turn.query,
        "record": turn.model_dump_json(exclude={"sections": {"__all__": {"text"}}}),
        "seconds": turn.seconds.get("total", sum(turn.seconds.values())),
        "error": "",
    }


def _answer_columns(conversation_id: str, sample: Sample) -> dict[str, object]:
    return {
        "conversation_id": conversation_id,
        "number": 1,
        "user_text": sample.question,
        "reply_text": sample.answer,
        "sample": sample.model_dump_json(),
        "seconds": 0.0,
        "created_at": now(),
    }


def _stored_turn(connection: Connection, row: Mapping[str, Any]) -> int | None:
    """The id of a turn that is there already, from a try whose end is unknown."""
    same = (TURNS.c[name] == row[name] for name in ("conversation_id", "number", "created_at"))
    return connection.execute(select(TURNS.c.id).where(*same)).scalar()


def _first_error(error: str) -> Any:
    """The error of a conversation: that of an earlier try if there is one."""
    return case((CONVERSATIONS.c.error != "", CONVERSATIONS.c.error), else_=literal(error, CONVERSATIONS.c.error.type))


def _by_turn(connection: Connection, statement: Select[*tuple[Any, ...]]) -> dict[int, list[RowMapping]]:
    rows_of: dict[int, list[RowMapping]] = defaultdict(list)
    for row in connection.execute(statement).mappings():
        rows_of[row["turn_id"]].append(row)
    return rows_of


def _turn_row(row: RowMapping, scores: Iterable[RowMapping], pressed: Iterable[RowMapping]) -> TurnRow:
    fields = {key: value for key, value in row.items() if key not in ("record", "sample")}
    return TurnRow(
        **fields,
        turn=Turn.model_validate_json(row["record"]) if row["record"] else None,
        sample=Sample.model_validate_json(row["sample"]) if row["sample"] else None,
        scores=tuple(map(score_row, scores)),
        feedback=tuple(FeedbackRow(**{name: row[name] for name in FeedbackRow.model_fields}) for row in pressed),
    )


def _counted(turn: TurnRow, versions: Mapping[str, str]) -> TurnRow:
    """The turn with the scores of these versions alone, the first verdict of each judge apart from its further ones."""
    counted = [score for score in turn.scores if score.version == versions.get(score.judge)]
    counted.sort(key=lambda score: (score.judge, score.repeat))  # side by side, judges come in any order
    first = {score.id for score in {(s.judge, s.criterion): s for s in reversed(counted)}.values()}
    return turn.model_copy(
        update={
            "scores": tuple(score for score in counted if score.id in first),
            "repeats": tuple(score for score in counted if score.id not in first),
        }
    )
