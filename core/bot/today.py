"""The date that a bot goes by."""

from __future__ import annotations

from datetime import date

from core.base.call_context import current_context
from core.base.types import Bot


def today_of(bot: Bot) -> date:
    """The date that the bot goes by: that of the run, else the bot's own, else today's."""
    return current_context().today or bot.today or date.today()
