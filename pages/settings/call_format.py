"""How calls to models are told: names, money, numbers, and what a view of the call log is about."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from core.base.calls import Spending
from core.base.frozen_model import FrozenModel
from core.base.settings import settings
from core.base.translate import text_or_default
from pages.components.cost import seconds_text
from pages.components.plain_text import plain
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


def name_of(column: str, value: str) -> str:
    """The words for a value of a column that calls are summed by."""
    known = {"role": role_name, "purpose": purpose_name}.get(column)
    return known(value) if known else value


def spent(sums: Spending) -> float | None:
    """What calls cost together; none if nothing of it has a price."""
    return None if sums.unpriced and not sums.cost else sums.cost


def exact_duration(seconds: float) -> str:
    """Seconds in words if they are few, else as hours, minutes and seconds: 0:03:20."""
    return seconds_text(seconds) if seconds < 60 else str(timedelta(seconds=round(seconds)))


def show_retention() -> None:
    """How long calls are kept, and whether equal ones are made again."""
    now = settings()
    days = t("calls.kept_days", days=f"{now.call_log_days:g}") if now.call_log_days else t("calls.kept_always")
    st.caption(f"{days} {t('calls.cached' if now.cache else 'calls.not_cached')}")


def pair(label: str, value: str) -> None:
    """A name and what stands under it, letter by letter."""
    st.markdown(f":gray[{plain(label)}]  \n{plain(value, links=False)}")
