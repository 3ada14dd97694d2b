"""Model, temperature and effort of a role, or of all, as the fields of a form."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

import streamlit as st

from core.base.settings import Effort
from pages.components.widgets import choose
from pages.i18n.translate import t

EFFORTS: tuple[Effort, ...] = get_args(Effort)
MAX_MODEL_CHARACTERS = 200


def role_fields(
    role: str, now: Mapping[str, Any], key: Callable[[str], str], fixed: Collection[str] = ()
) -> dict[str, Any]:
    """The values of the three fields; `role` is "" for all roles, `fixed` names those that cannot be changed."""
    left, middle, right = st.columns([3, 1.4, 1.6])
    who, rest = t(f"models.role_{role or 'all'}"), t("models.as_all") if role else ""
    options = {name: {"key": key(name), "disabled": name in fixed} for name in ("model", "temperature", "effort")}
    label, help_text = t("models.model_of", who=who), None if role else t("models.model_help")
    model = left.text_input(
        label, str(now["model"]), MAX_MODEL_CHARACTERS, help=help_text, placeholder=rest, **options["model"]
    )
    label, usual = t("models.temperature"), rest or t("models.as_usual")
    temperature = middle.number_input(
        label, 0.0, 2.0, now["temperature"], 0.1, placeholder=usual, **options["temperature"]
    )
    levels = {level: level or rest or t("models.effort_unsaid") for level in EFFORTS}
    effort = choose(t("models.effort"), levels, now["effort"], right, **options["effort"])
    return {"model": model.strip(), "temperature": temperature, "effort": effort}
