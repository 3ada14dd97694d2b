"""A bot's deleted criteria: kept in the data folder, so that each can be restored."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.base.errors import BadInput
from core.base.files import write_text
from core.base.frozen_model import FrozenModel
from core.base.settings import settings
from core.base.types import Bot
from core.judges.criteria.criteria import Criterion
from core.judges.custom.criteria_file import custom_criteria, delete_custom_criterion, save_custom_criterion

MAX_DELETED = 50  # deleted criteria that are kept for a bot


class DeletedCriterion(FrozenModel):
    """A criterion and when it was deleted (UTC)."""

    at: datetime
    criterion: Criterion


_ROWS = TypeAdapter(tuple[DeletedCriterion, ...])


def delete_criterion(bot: Bot, criterion: Criterion) -> None:
    """Take a criterion away and keep it; raises BadInput if it is not there or the folder cannot be written."""
    row = DeletedCriterion(at=datetime.now(UTC), criterion=criterion)
    before = deleted_criteria(bot)
    _write_deleted(bot, (row, *before))
    try:
        delete_custom_criterion(bot, criterion.name)
    except BadInput:
        _write_deleted(bot, before)
        raise


def restore_criterion(bot: Bot, deleted: DeletedCriterion) -> None:
    """Put a criterion back; one that has its name by now is kept as a deleted one in its place."""
    present = custom_criteria(bot).get(deleted.criterion.name)
    save_custom_criterion(bot, deleted.criterion)
    left = tuple(row for row in deleted_criteria(bot) if row != deleted)
    _write_deleted(bot, (DeletedCriterion(at=datetime.now(UTC), criterion=present), *left) if present else left)


def deleted_criteria(bot: Bot) -> tuple[DeletedCriterion, ...]:
    """What was deleted, the latest first; none if the file cannot be read."""
    try:
        return _ROWS.validate_json(_file(bot).read_bytes())
    except (OSError, ValidationError):
        return ()


def _write_deleted(bot: Bot, rows: tuple[DeletedCriterion, ...]) -> None:
    write_text(_file(bot), _ROWS.dump_json(rows[:MAX_DELETED], indent=1).decode("utf-8"))


def _file(bot: Bot) -> Path:
    return settings().data_dir / "removed_criteria" / f"{bot.id}.json"
