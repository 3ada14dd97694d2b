"""Write fitted coefficients as TOML; used by the scripts that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit


def write_tables(path: Path, about: str, models: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    """Write the coefficients of models that have a table for each class (`write_coefficients`)."""
    tables = {f"{name}.{of}": values for name, classes in models.items() for of, values in classes.items()}
    write_coefficients(path, about, tables)


def write_coefficients(path: Path, about: str, tables: Mapping[str, Mapping[str, float]]) -> None:
    """One table for each model, rounded to four places, below comments that say what they are and where they come from.

    A name with a dot is a table within a table.
    """
    document = tomlkit.document()
    for line in about.splitlines():
        document.add(tomlkit.comment(line))
    for name, values in tables.items():
        *above, last = name.split(".")
        inside: Any = document
        for part in above:
            inside = inside.setdefault(part, tomlkit.table(is_super_table=True))
        inside[last] = {key: round(value, 4) for key, value in values.items()}
    path.write_text(tomlkit.dumps(document), "utf-8")
