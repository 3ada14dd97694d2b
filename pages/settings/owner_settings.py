"""The owner's choices in the data folder's settings.toml, below what environment, `.env` and secrets decide."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import streamlit as st
import tomlkit

from core.base.files import write_text
from core.base.settings import environment, secrets, settings
from core.base.visitor_powers import require
from pages.components.plain_text import plain
from pages.i18n.translate import t

PATHS = frozenset({"embedding_model", "data_dir", "knowledge_dir", "google_service_account"})  # of this machine's files


def fixed_settings(names: Iterable[str]) -> set[str]:
    """Those of the settings that environment, `.env` or `.streamlit/secrets.toml` decide, which win over the pages."""
    variables = {name.upper() for name in environment()}
    secret = secrets()
    return {name for name in names if f"KIKU_{name.upper()}" in variables or name in secret}


def show_fixed(locked: Collection[str]) -> None:
    """Say which settings cannot be changed here; nothing if all can."""
    if locked:
        names = t("common.comma").join(f"KIKU_{name.upper()}" for name in sorted(locked))
        st.info(t("settings.from_environment", names=plain(names)), icon=":material/lock:")


def save(values: Mapping[str, Any]) -> None:
    """Save the choices; None removes one. Comments and other keys of the file stay.

    Raises BadInput if the folder cannot be written.
    """
    changed = {name for name, value in values.items() if (value or "") != (getattr(settings(), name, "") or "")}
    if not PATHS.isdisjoint(changed):
        require("paths")
    file = settings().page_file
    document: Any = tomlkit.parse(file.read_text("utf-8")) if file.is_file() else tomlkit.document()
    for name, value in values.items():
        if value is None:
            document.pop(name, None)
        else:
            document[name] = value
    write_text(file, tomlkit.dumps(document))
    settings.cache_clear()
