"""Reviewers' labels of turns, each change undoable, and the order in which turns are labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import Field
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from core.agreement.sampling import Drawn
from core.base.chunks import chunks
from core.base.errors import BadInput
from core.base.frozen_model import FrozenModel
from core.store.database import AT_ONCE, Repository, now, with_reconnect
from core.store.schema import CONVERSATIONS, FEEDBACK, LABEL_HISTORY, LABEL_QUEUE, LABELS, SCORES, TURNS

MAX_REVIEWER_NAME = 60  # characters of a reviewer's name
CHAT_REVIEWER = "Chat"  # the reviewer of feedback on the chat pages without a name
LabelSource = Literal["page", "import", "thumbs", "better_of_two"]
Verdict = Literal["yes", "no", "", "open"]
OPEN: Verdict = "open"


class TurnLabel(FrozenModel):
    turn_id: int
    reviewer: str
    verdict: Verdict = OPEN  # "yes", "no", "" for "cannot say", or "open" until one of these is given
    grades: dict[str, int] = Field(default={})  # 1 to 5 by criterion
    comment: str = ""
    corrected: str = ""
    source: LabelSource = "page"
    blind: bool = True  # given before the reviewer saw a judge's verdict
    created_at: datetime | None = None


class TurnPlace(NamedTuple):
    """A turn as files name it: its id, its conversation and number, what was asked and answered."""

    id: str
    conversation: str
    number: int
    question: str
    answer: str


_LABEL = [LABELS.c[name] for name in TurnLabel.model_fields]
_JOINED = LABELS.join(TURNS).join(CONVERSATIONS)


def reviewer_name(text: str) -> str:
    """A reviewer's name without needless spaces; raises BadInput for none, and for a long one."""
    name = " ".join(text.split())
    if not name:
        raise BadInput("A label needs the name of its reviewer. Give one.", "no_reviewer")
    if len(name) > MAX_REVIEWER_NAME:
        message = f"The reviewer's name has {len(name)} characters; the limit is {MAX_REVIEWER_NAME}. Shorten it."
        raise BadInput(message, "reviewer_long", n=len(name), most=MAX_REVIEWER_NAME)
    return name


class LabelRepository(Repository):
    """The labels of the database's turns.

    One label per reviewer and turn; `pool` is a run's id, or `chats_of(bot)` for what people said on the chat page.
    """

    @with_reconnect
    def save(self, *labels: TurnLabel) -> None:
        """Store labels in one transaction; each replaces the reviewer's earlier one of the turn, which stays in the history."""
        with self._db.write() as connection:
            for label in labels:
                self._replace(connection, _row(label))

    @with_reconnect
    def undo(self, reviewer: str, pool: str) -> int | None:
        """Take back the reviewer's last change in a pool; gives its turn, None if there is nothing to take back.

        A reviewer who had given a verdict has seen the judge's, so the next one is not blind.
        """
        c = LABEL_HISTORY.c
        changes = select(c.id, c.turn_id, c.before).select_from(LABEL_HISTORY.join(TURNS).join(CONVERSATIONS))
        newest = changes.where(c.reviewer == reviewer, _in(pool)).order_by(c.id.desc()).limit(1)
        with self._db.write() as connection:
            row = connection.execute(newest).first()
            if row is None:
                return None
            same_label = (LABELS.c.turn_id == row.turn_id) & (LABELS.c.reviewer == reviewer)
            now_there = connection.execute(select(LABELS.c.verdict, LABELS.c.blind).where(same_label)).first()
            connection.execute(delete(LABELS).where(same_label))
            empty = TurnLabel(turn_id=int(row.turn_id), reviewer=reviewer)
            before = empty if row.before is None else TurnLabel.model_validate(row.before)
            seen = now_there is not None and (now_there.verdict != OPEN or not now_there.blind)
            if seen and before.verdict == OPEN:
                before = before.model_copy(update={"blind": False})
            if before != empty:
                connection.execute(insert(LABELS).values(**_row(before)))
            connection.execute(delete(LABEL_HISTORY).where(c.id == row.id))
            return int(row.turn_id)

    def get(self, turn_id: int, reviewer: str) -> TurnLabel:
        """A reviewer's label of a turn; an open one without anything in it if there is none."""
        labels = self._labels((LABELS.c.turn_id == turn_id) & (LABELS.c.reviewer == reviewer))
        return labels[0] if labels else TurnLabel(turn_id=turn_id, reviewer=reviewer)

    def of_turn(self, turn_id: int) -> list[TurnLabel]:
        """Everybody's labels of a turn, as they came."""
        return self._labels(LABELS.c.turn_id == turn_id)

    def of_pool(self, pool: str) -> list[TurnLabel]:
        return self._labels(_in(pool))

    def state(self) -> tuple[int, int, int]:
        """A value that changes whenever a label does."""
        newest = select(func.max(LABEL_HISTORY.c.id)).scalar_subquery()
        last = select(func.max(LABELS.c.id)).scalar_subquery()
        row = self._db.rows(select(func.count(LABELS.c.id), newest, last))[0]
        return int(row[0]), int(row[1] or 0), int(row[2] or 0)

    def labelled(self, pool: str, reviewer: str) -> set[int]:
        """The turns on which a reviewer has given a verdict, were it "cannot say"."""
        decided = (LABELS.c.reviewer == reviewer) & (LABELS.c.verdict != OPEN)
        statement = select(LABELS.c.turn_id).select_from(_JOINED).where(_in(pool), decided)
        return set(self._db.column(statement))

    def count(self, pool: str) -> int:
        return int(self._db.scalar(select(func.count()).select_from(_JOINED).where(_in(pool))))

    def pools(self, bot: str) -> dict[str, int]:
        """How many labels there are in each run of a bot, by its id, and in its chats."""
        statement = select(CONVERSATIONS.c.run_id, func.count()).select_from(_JOINED).where(CONVERSATIONS.c.bot == bot)
        rows = self._db.rows(statement.group_by(CONVERSATIONS.c.run_id))
        return {str(run_id) if run_id else chats_of(bot): int(count) for run_id, count in rows}

    def bots(self) -> dict[str, int]:
        """How many labels there are of each bot's turns, the most first."""
        statement = select(CONVERSATIONS.c.bot, func.count()).select_from(_JOINED).group_by(CONVERSATIONS.c.bot)
        return {str(bot): int(count) for bot, count in sorted(self._db.rows(statement), key=lambda row: -int(row[1]))}

    def reviewers(self, bot: str) -> list[str]:
        """The reviewers who have labelled turns of a bot."""
        statement = select(LABELS.c.reviewer).select_from(_JOINED).where(CONVERSATIONS.c.bot == bot).distinct()
        return sorted(self._db.column(statement))

    def conversations(self, pool: str) -> dict[int, str]:
        """The conversation of each turn of a pool that has a reply."""
        statement = select(TURNS.c.id, CONVERSATIONS.c.id).select_from(CONVERSATIONS.join(TURNS)).where(_in(pool))
        statement = statement.where(TURNS.c.record.is_not(None) | TURNS.c.sample.is_not(None), TURNS.c.error == "")
        return {int(turn): str(conversation) for turn, conversation in self._db.rows(statement.order_by(TURNS.c.id))}

    def places(self, pool: str) -> dict[int, TurnPlace]:
        """What files call the turns of a pool: the id of a file's answer, else conversation and number."""
        return self._places(_in(pool))

    def places_of(self, turns: Sequence[int]) -> dict[int, TurnPlace]:
        """The same for turns of any pool."""
        return {
            turn: place for ids in chunks(turns, AT_ONCE) for turn, place in self._places(TURNS.c.id.in_(ids)).items()
        }

    def chat_turns(self, names: Iterable[str]) -> dict[str, int]:
        """The turns of chats by what files call them, of those that are there."""
        conversation_of = {name: name.rpartition("/")[0] for name in names}
        places: dict[int, TurnPlace] = {}
        for conversations in chunks(list(set(conversation_of.values())), AT_ONCE):
            places |= self._places(CONVERSATIONS.c.chat & CONVERSATIONS.c.id.in_(conversations))
        return {place.id: turn for turn, place in places.items() if place.id in conversation_of}

    def turns_by_id(self, pool: str) -> dict[str, int]:
        """The turns of a pool by what files call them; of answers with the same id none."""
        turns_of: dict[str, list[int]] = {}
        for turn, place in self.places(pool).items():
            for name in {place.id, f"{place.conversation}/{place.number}"}:
                turns_of.setdefault(name, []).append(turn)
        return {name: turns[0] for name, turns in turns_of.items() if len(turns) == 1}

    def thumbs(self, pool: str) -> dict[int, bool]:
        """The turns of a pool that have a thumb up (true) or down."""
        statement = select(FEEDBACK.c.turn_id, FEEDBACK.c.kind)
        statement = statement.select_from(FEEDBACK.join(TURNS).join(CONVERSATIONS))
        statement = statement.where(_in(pool), FEEDBACK.c.kind.in_(("up", "down")))
        return {int(turn): kind == "up" for turn, kind in self._db.rows(statement.order_by(FEEDBACK.c.id))}

    def values(self, pool: str) -> dict[tuple[str, str], dict[int, float]]:
        """What judges gave turns of a pool, by (judge, criterion): the newest value of each turn."""
        statement = select(SCORES.c.judge, SCORES.c.criterion, TURNS.c.id, SCORES.c.value)
        statement = statement.select_from(CONVERSATIONS.join(TURNS).join(SCORES)).where(_in(pool))
        values: dict[tuple[str, str], dict[int, float]] = {}
        for judge, criterion, turn, value in self._db.rows(statement.order_by(SCORES.c.id)):
            if value is not None:
                values.setdefault((str(judge), str(criterion)), {})[int(turn)] = float(value)
        return values

    def verdicts(self, turns: Sequence[int], judge: str, criterion: str) -> dict[int, tuple[str, str]]:
        """A judge's label of turns and why it gave it, the newest of each."""
        of_judge = (SCORES.c.judge == judge) & (SCORES.c.criterion == criterion)
        labels: dict[int, tuple[str, str]] = {}
        statement = select(SCORES.c.turn_id, SCORES.c.label, SCORES.c.reasons).where(of_judge).order_by(SCORES.c.id)
        for ids in chunks(turns, AT_ONCE):
            rows = self._db.rows(statement.where(SCORES.c.turn_id.in_(ids)))
            labels |= {int(turn): (str(label), str(text)) for turn, label, text in rows}
        return labels

    def queue(self, pool: str) -> list[Drawn]:
        """The order in which the pool's turns are labelled, as far as it was drawn."""
        statement = select(LABEL_QUEUE.c.turn_id, LABEL_QUEUE.c.weight, LABEL_QUEUE.c.draw)
        statement = statement.where(LABEL_QUEUE.c.frame == pool).order_by(LABEL_QUEUE.c.draw / LABEL_QUEUE.c.weight)
        return [Drawn(int(turn), float(weight), float(draw)) for turn, weight, draw in self._db.rows(statement)]

    @with_reconnect
    def add_to_queue(self, pool: str, turns: Sequence[Drawn]) -> None:
        """Draw the places of further turns; a turn that has one keeps it, whoever drew it."""
        rows = [{"frame": pool, **turn._asdict()} for turn in turns]
        with self._db.write() as connection:
            for chunk in chunks(rows, AT_ONCE):
                connection.execute(self._db.insert(LABEL_QUEUE).on_conflict_do_nothing(), chunk)

    def _places(self, condition: ColumnElement[bool]) -> dict[int, TurnPlace]:
        columns = (CONVERSATIONS.c.id, TURNS.c.number, CONVERSATIONS.c.scenario_id, TURNS.c.sample.is_not(None))
        rows = select(TURNS.c.id, *columns, TURNS.c.user_text, TURNS.c.reply_text)
        rows = rows.select_from(CONVERSATIONS.join(TURNS)).where(condition).order_by(TURNS.c.id)
        return {
            int(turn): TurnPlace(
                str(scenario) if of_file else f"{conversation}/{number}",
                str(conversation),
                int(number),
                question,
                answer,
            )
            for turn, conversation, number, scenario, of_file, question, answer in self._db.rows(rows)
        }

    def _replace(self, connection: Connection, row: Mapping[str, Any]) -> None:
        same_label = (LABELS.c.turn_id == row["turn_id"]) & (LABELS.c.reviewer == row["reviewer"])
        old = connection.execute(select(*_LABEL).where(same_label).with_for_update()).mappings().first()
        before = TurnLabel.model_validate(dict(old)).model_dump(mode="json") if old else None
        change = {"turn_id": row["turn_id"], "reviewer": row["reviewer"], "before": before, "created_at": now()}
        connection.execute(insert(LABEL_HISTORY).values(**change))
        self._db.upsert_within(connection, LABELS, row, ("turn_id", "reviewer"))

    def _labels(self, condition: ColumnElement[bool]) -> list[TurnLabel]:
        rows = self._db.rows(select(*_LABEL).select_from(_JOINED).where(condition).order_by(LABELS.c.id))
        names = tuple(TurnLabel.model_fields)
        return [TurnLabel.model_construct(**dict(zip(names, row, strict=True))) for row in rows]


def chats_of(bot: str) -> str:
    """The pool of what people said to a bot on the chat page."""
    return f"chats:{bot}"


def bot_of_chats(pool: str) -> str:
    """The bot of a pool of chats."""
    return pool.partition(":")[2]


def _in(pool: str) -> ColumnElement[bool]:
    """Whether a conversation belongs to a pool."""
    kind, _, bot = pool.partition(":")
    if kind == "chats" and bot:
        return CONVERSATIONS.c.chat & (CONVERSATIONS.c.bot == bot)
    return CONVERSATIONS.c.run_id == pool


def _row(label: TurnLabel) -> dict[str, Any]:
    return {**label.model_dump(), "created_at": label.created_at or now()}
