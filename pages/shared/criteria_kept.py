"""Criteria that were deleted, kept in the data folder until they are put back; no Streamlit in here."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.base.errors import BadInput
from core.base.files import write_text
from core.base.settings import settings
from core.base.types import Bot, Noun
from core.judge.criteria.criterion import Criterion
from core.judge.criteria.own import delete_own_criterion, look_at_own_criteria, save_own_criterion

MOST = 50  # deleted criteria that are kept for a bot


class Deleted(Noun):
    """A criterion and when it was deleted (UTC)."""

    at: datetime
    criterion: Criterion


_ROWS = TypeAdapter(tuple[Deleted, ...])


def own_criteria(bot: Bot) -> dict[str, Criterion]:
    """The bot's own criteria that can be used, by name."""
    return {name: one for name, one in look_at_own_criteria(bot) if isinstance(one, Criterion)}


def delete_criterion(bot: Bot, criterion: Criterion) -> None:
    """Take a criterion away and keep it; raises BadInput where it is not there or the folder cannot be written."""
    row = Deleted(at=datetime.now(UTC), criterion=criterion)
    before = deleted_criteria(bot)
    _keep(bot, (row, *before))
    try:
        delete_own_criterion(bot, criterion.name)
    except BadInput:
        _keep(bot, before)
        raise


def restore_criterion(bot: Bot, deleted: Deleted) -> None:
    """Put a criterion back; one that has its name by now is kept as a deleted one in its place."""
    present = own_criteria(bot).get(deleted.criterion.name)
    save_own_criterion(bot, deleted.criterion)
    left = tuple(row for row in deleted_criteria(bot) if row != deleted)
    _keep(bot, (Deleted(at=datetime.now(UTC), criterion=present), *left) if present else left)


def deleted_criteria(bot: Bot) -> tuple[Deleted, ...]:
    """What was deleted, the latest first; none where the file cannot be read."""
    try:
        return _ROWS.validate_json(_file(bot).read_bytes())
    except (OSError, ValidationError):
        return ()


def _keep(bot: Bot, rows: tuple[Deleted, ...]) -> None:
    write_text(_file(bot), _ROWS.dump_json(rows[:MOST], indent=1).decode("utf-8"))


def _file(bot: Bot) -> Path:
    return settings().data_dir / "removed_criteria" / f"{bot.id}.json"
