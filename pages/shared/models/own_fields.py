"""The fields for a server and key of one's own: address, key, models, and what is sent along for each role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import streamlit as st
from pydantic import SecretStr
from streamlit.delta_generator import DeltaGenerator

from core.base.settings import Effort
from core.base.types import Role
from core.llm.roles import ROLES
from pages.shared.models.choice import Choice, Part, choice
from pages.shared.words import say

PARTS: tuple[Part, ...] = ("", *ROLES)  # "": what holds for all roles
EFFORTS: tuple[Effort, ...] = get_args(Effort)
LETTERS = 1_000  # of an address or a key; a model's name has fewer


def field(name: str, part: Part = "") -> str:
    """The key of a field."""
    return f"own-{name}-{part}" if part else f"own-{name}"


FIELDS = ("own-address", *(field(name, part) for name in ("model", "temperature", "effort") for part in PARTS))


def fields(mine: Choice) -> None:
    """All of them, with what was chosen before; a key is never shown again."""
    left, right = st.columns(2)
    left.text_input(
        say("models.address"),
        mine.base_url,
        LETTERS,
        key="own-address",
        placeholder="http://127.0.0.1:11434/v1",
        help=say("models.address_help"),
    )
    has_key = bool(mine.key.get_secret_value())
    right.text_input(
        say("models.key"),
        max_chars=LETTERS,
        key="own-key",
        type="password",
        autocomplete="off",
        placeholder=say("models.key_there" if has_key else "models.key_none"),
        help=say("models.key_help"),
    )
    _part(mine, "", mine.models.get("bot", ""))
    with st.expander(say("models.by_role"), icon=":material/tune:", type="compact"):
        st.caption(say("models.by_role_lead"))
        for role in ROLES:
            named = mine.models.get(role, "")
            _part(mine, role, "" if named == mine.models.get("bot") else named)


def _part(mine: Choice, part: Part, model: str) -> None:
    """Model, temperature and effort of a role, or of all."""
    left, middle, right = st.columns([3, 1.4, 1.6])
    label = say("models.model_of", who=say(f"models.role_{part}")) if part else say("models.model")
    told = None if part else say("models.model_help")
    rest = say("models.as_all") if part else ""
    left.text_input(label, model, LETTERS // 5, key=field("model", part), help=told, placeholder=rest)
    _temperature(middle, part, mine.temperatures.get(part))
    right.selectbox(
        say("models.effort"),
        EFFORTS,
        EFFORTS.index(mine.efforts.get(part, "")),
        format_func=lambda level: level or say("models.as_all" if part else "models.as_usual"),
        key=field("effort", part),
    )


def _temperature(place: DeltaGenerator, part: Part, now: float | None) -> None:
    rest = say("models.as_all" if part else "models.as_usual")
    place.number_input(say("models.temperature"), 0.0, 2.0, now, 0.1, key=field("temperature", part), placeholder=rest)


def typed() -> Choice:
    """What stands in the form; a key that was entered before goes with the address it was for."""
    key, address, before = str(st.session_state["own-key"]).strip(), st.session_state["own-address"].strip(), choice()
    same = before.kind == "own" and before.base_url == address
    temperatures = {part: st.session_state.get(field("temperature", part)) for part in PARTS}
    efforts: Mapping[Part, Effort] = {part: st.session_state.get(field("effort", part)) or "" for part in PARTS}
    return Choice(
        kind="own",
        base_url=address,
        key=SecretStr(key) if key or not same else before.key,
        models=_models(),
        temperatures={part: value for part, value in temperatures.items() if value is not None},
        efforts={part: level for part, level in efforts.items() if level},
    )


def _models() -> dict[Role, str]:
    general = str(st.session_state["own-model"]).strip()
    return {role: str(st.session_state.get(field("model", role), "")).strip() or general for role in ROLES}


def missing(chosen: Choice) -> str:
    """What was left out, in a sentence; "" where nothing was."""
    if not chosen.base_url and not chosen.key.get_secret_value():
        return say("models.nothing_given")
    return "" if all(chosen.models.values()) else say("models.model_needed")
