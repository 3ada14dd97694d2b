"""Who answers: the embedded engine, which models, or which external bot."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from core.base.external_bots import ExternalBot, PythonBot
from core.base.types import Bot, Role
from core.llm.roles import ROLES
from pages.components.plain_text import plain
from pages.components.session import choice, distinct_models, uses_model
from pages.i18n.translate import t


def answering_engine(
    embedded: str = "common.no_model", model: str = "common.model", roles: Sequence[Role] = ROLES
) -> str:
    """Who answers in this session, in words: no language model, or which ones in these roles."""
    if not uses_model():
        return t(embedded)
    names = (t("common.comma")).join(plain(name, links=False) for name in distinct_models(roles))
    if not names:
        return t("common.model_unnamed")
    return t(model, model=t("common.model_own", model=names) if choice().kind == "own" else names)


def answering_external_bot(bot: Bot) -> str:
    """Who answers, if that is an external bot; "" for one of Kiku's own."""
    return t("external_bot.speaks", place=place_of(bot.external)) if bot.external else ""


def place_of(external: ExternalBot) -> str:
    """Where such a bot is: its host, or its function."""
    where = external.callable if isinstance(external, PythonBot) else urlsplit(external.url).netloc
    return plain(where, links=False)
