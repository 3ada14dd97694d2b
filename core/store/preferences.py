"""Which of two replies beside each other people call better, pressed on the page that talks to two versions at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

from sqlalchemy import delete, or_, select

from core.store.database import Repository, now, with_reconnect
from core.store.schema import CONVERSATIONS, PREFERENCES, TURNS

Choice = Literal["left", "right", "both_good", "both_bad"]
CHOICES: tuple[Choice, ...] = get_args(Choice)
_P = PREFERENCES.c
_COLUMNS = ("left_turn_id", "right_turn_id", "reviewer", "choice")  # of a preference's fields


class Preference(NamedTuple):
    """A reviewer's choice between two turns that reply to the same message."""

    left: int
    right: int
    reviewer: str
    choice: Choice


class Sides(NamedTuple):
    """Where the two turns of a preference belong: (bot, conversation) of each."""

    preference: Preference
    left: tuple[str, str]
    right: tuple[str, str]


class PreferenceRepository(Repository):
    """The preferences of the database; one per pair of turns and reviewer."""

    @with_reconnect
    def save(self, *preferences: Preference) -> None:
        """Store choices in one transaction; each replaces the reviewer's earlier one between the same two turns."""
        with self._db.write() as connection:
            for one in preferences:
                row = dict(zip(_COLUMNS, one, strict=True)) | {"created_at": now()}
                self._db.upsert_within(connection, PREFERENCES, row, _COLUMNS[:3])

    def remove(self, left: int, right: int, reviewer: str) -> None:
        same = (_P.left_turn_id == left) & (_P.right_turn_id == right) & (_P.reviewer == reviewer)
        self._db.execute(delete(PREFERENCES).where(same))

    def of_reviewer(self, lefts: Iterable[int], reviewer: str) -> dict[tuple[int, int], Choice]:
        """A reviewer's choices between turns, by the pair; lefts: the first turns of the pairs."""
        statement = select(_P.left_turn_id, _P.right_turn_id, _P.choice)
        rows = self._db.rows(statement.where(_P.left_turn_id.in_(list(lefts)), _P.reviewer == reviewer))
        return {(int(left), int(right)): choice for left, right, choice in rows}

    def of_bot(self, bot: str) -> list[Sides]:
        """All choices in which a turn of the bot takes part, as they came."""
        turns = [TURNS.alias(name) for name in ("left_turn", "right_turn")]
        chats = [CONVERSATIONS.alias(name) for name in ("left_chat", "right_chat")]
        joined = PREFERENCES
        for column, turn, chat in zip((_P.left_turn_id, _P.right_turn_id), turns, chats, strict=True):
            joined = joined.join(turn, turn.c.id == column).join(chat, chat.c.id == turn.c.conversation_id)
        statement = select(_P.left_turn_id, _P.right_turn_id, _P.reviewer, _P.choice)
        statement = statement.add_columns(*(column for chat in chats for column in (chat.c.bot, chat.c.id)))
        statement = statement.select_from(joined).where(or_(*(chat.c.bot == bot for chat in chats))).order_by(_P.id)
        return [
            Sides(Preference(left, right, reviewer, choice), (left_bot, left_chat), (right_bot, right_chat))
            for left, right, reviewer, choice, left_bot, left_chat, right_bot, right_chat in self._db.rows(statement)
        ]
