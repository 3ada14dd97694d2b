"""Finding a conversation among thousands: a slim list of a run, and a search in all that was said and reasoned."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, NamedTuple, cast

from sqlalchemy import ColumnElement, Connection, and_, exists, func, literal, literal_column, or_, select, text

from core.base.folding import Holder, folded
from core.store.database import Database
from core.store.lasting import lasting
from core.store.runs import CONVERSATIONS, SCORES, TURNS
from core.store.words import Words

_C, _T, _S = CONVERSATIONS.c, TURNS.c, SCORES.c
_HOLDS = "kiku_holds"
FEW = 4  # forms of a letter that are looked for one by one
_UNICODE = '"und-x-icu"'  # a collation of PostgreSQL


class Listed(NamedTuple):
    """A conversation in a list; score: the mean over its turns by one judge, none when unscored; asked: how often the bot
    asked back, none where that is unknown (a bot elsewhere, an answer of a file); labels: the judge's, of all turns."""

    id: str
    number: int
    question: str
    persona_id: str
    persona_name: str
    kind: str
    status: str
    ending: str
    failed: bool
    turns: int
    asked: int | None
    score: float | None
    labels: frozenset[str]


class ReadingTables:
    """The part of the store that finds conversations."""

    db: Database

    @lasting
    def newest_ids(self) -> tuple[int, int]:
        """The ids of the newest score and turn: as long as they stay, nothing more was said or judged."""
        with self.db.read() as connection:
            found = connection.execute(select(select(func.max(_S.id)).scalar_subquery(), func.max(_T.id))).one()
        return int(found[0] or 0), int(found[1] or 0)

    @lasting
    def listed(self, run_id: str, judge: str, criterion: str, version: str) -> list[Listed]:
        """The conversations of a run by number, scored by one criterion of a judge in one version."""
        mine = _C.run_id == run_id
        names = ("id", "number", "question", "persona_id", "persona_name", "kind", "status", "ending")
        talks = select(*(_C[name] for name in names), (_C.error != "").label("failed")).where(mine)
        turns = (
            select(_C.id, func.count(), func.count().filter(_T.decision == "ask"), func.min(_T.decision))
            .select_from(CONVERSATIONS.join(TURNS))
            .where(mine)
            .group_by(_C.id)
        )
        scored = (
            select(_C.id, _S.value, _S.label, _S.turn_id)
            .select_from(CONVERSATIONS.join(TURNS).join(SCORES))
            .where(mine, _S.judge == judge, _S.criterion == criterion, _S.version == version)
        )
        with self.db.read() as connection:
            rows = connection.execute(talks.order_by(_C.number, _C.id)).all()
            counts = {mark: (n, asked if decision else None) for mark, n, asked, decision in connection.execute(turns)}
            scores, labels = _scores(connection.execute(scored).all())
        return [_one(row, counts.get(row.id, (0, None)), scores.get(row.id), labels.get(row.id, set())) for row in rows]

    @lasting
    def holding(self, run_id: str, wanted: str) -> frozenset[str]:
        """The ids of the conversations in which each word of `wanted` was said, or stands in a judge's reasons.

        Words are parted by spaces and found anywhere, as in Japanese; full and half width and upper and lower case are
        the same (NFKC, case-folded).
        """
        words = folded(wanted).split()
        found: frozenset[str] | None = None
        with self.db.read() as connection:
            unicode = _knows_unicode(connection)
            for word in words:
                _let_hold(connection, holder := Holder(word))
                here = frozenset(connection.execute(_with(run_id, holder, connection.dialect.name, unicode)).scalars())
                found = here if found is None else found & here
        return found or frozenset()


def _one(row: Any, counts: tuple[int, int | None], score: float | None, labels: set[str]) -> Listed:
    fields: dict[str, Any] = dict(row._mapping)
    return Listed(**fields, turns=counts[0], asked=counts[1], score=score, labels=frozenset(labels))


def _scores(rows: Any) -> tuple[dict[str, float], dict[str, set[str]]]:
    """The mean of each conversation over its turns (of each turn over its verdicts), and the labels given."""
    by_turn: dict[tuple[str, int], list[float]] = {}
    labels: dict[str, set[str]] = {}
    for mark, value, label, turn in rows:
        if value is not None:
            by_turn.setdefault((mark, turn), []).append(value)
            labels.setdefault(mark, set()).add(label)
    sums, counts = defaultdict[str, float](float), Counter[str]()
    for (mark, _), values in by_turn.items():
        sums[mark] += sum(values) / len(values)
        counts[mark] += 1
    return {mark: sums[mark] / counts[mark] for mark in counts}, labels


def _with(run_id: str, holder: Holder, dialect: str, unicode: bool) -> Any:
    """The conversations of a run that hold a word; unicode: `_knows_unicode`."""
    sought = literal(holder.word, Words())

    def holds(*columns: Any) -> ColumnElement[bool]:
        if dialect == "sqlite":
            return or_(*(_held(column, holder) for column in columns))
        return or_(*(func.strpos(_folded(column, unicode), _folded(sought, unicode)) > 0 for column in columns))

    reasoned = exists().where(_S.turn_id == _T.id, holds(_S.reasons)).correlate(TURNS)
    said = select(_C.id).join(TURNS).where(_C.run_id == run_id, or_(holds(_T.user_text, _T.reply_text), reasoned))
    closed = select(_C.id).where(_C.run_id == run_id, holds(_C.closing, _C.question))
    return said.union(closed)


def _held(column: Any, holder: Holder) -> ColumnElement[bool]:
    """Whether a text holds the word, on SQLite; most texts are told by the database alone where a letter has few forms."""
    told = getattr(func, _HOLDS)(column)
    if not 0 < len(holder.forms) <= FEW:
        return told
    return and_(or_(*(func.instr(column, form) > 0 for form in holder.forms)), told)


def _folded(given: Any, unicode: bool) -> Any:
    """On PostgreSQL much the same as `core.base.folding.folded`; without ICU as far as the database's locale goes."""
    plain = func.normalize(given, _nfkc())
    if not unicode:
        return func.normalize(func.lower(plain), _nfkc())
    large = func.upper(plain.op("COLLATE")(literal_column(_UNICODE)))  # ß becomes SS
    return func.normalize(func.replace(func.lower(large), "ς", "σ"), _nfkc())


def _nfkc() -> Any:
    return cast(Any, literal_column("NFKC"))


def _knows_unicode(connection: Connection) -> bool:
    """Whether a PostgreSQL was built with the rules for the cases of all letters; the locale "C" knows A to Z alone."""
    if connection.dialect.name != "postgresql":
        return False
    known = text(
        "SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu' AND collencoding IN (-1, pg_char_to_encoding('UTF8'))"
    )
    return connection.execute(known).first() is not None


def _let_hold(connection: Connection, holder: Holder) -> None:
    """Teach SQLite to tell which texts hold a word; other databases can."""
    if connection.dialect.name == "sqlite":
        raw: Any = connection.connection.driver_connection
        raw.create_function(_HOLDS, 1, holder, deterministic=True)
