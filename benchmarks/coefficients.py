"""Write fitted coefficients as TOML; used by the scripts that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import tomlkit


def write_coefficients(path: Path, about: str, tables: Mapping[str, Mapping[str, float]]) -> None:
    """One table for each model, rounded to four places, below comments that say what they are and where they come from."""
    document = tomlkit.document()
    for line in about.splitlines():
        document.add(tomlkit.comment(line))
    for name, values in tables.items():
        document[name] = {key: round(value, 4) for key, value in values.items()}
    path.write_text(tomlkit.dumps(document), "utf-8")
