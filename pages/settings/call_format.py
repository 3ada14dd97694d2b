"""Which calls a page is about, and the names of roles and purposes."""

from __future__ import annotations

from core.base.frozen_model import FrozenModel
from core.base.translate import text_or_default
from pages.i18n.translate import t


class View(FrozenModel):
    """The calls that are looked at: all, or those of one run ("" for those outside of any), or of one conversation."""

    run: str | None = None
    conversation: str | None = None


def role_name(role: str) -> str:
    """A role in words."""
    return text_or_default(t, f"models.role_{role}", role)


def purpose_name(purpose: str) -> str:
    """What a call was made for, in words if there are some."""
    return text_or_default(t, f"calls.purpose_{purpose}", purpose)
