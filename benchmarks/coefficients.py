"""The coefficients of fitted regressions, and the TOML files that hold them; used by the scripts that fit them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from sklearn.pipeline import Pipeline


def coefficients(model: Any, names: Sequence[str], place: int = 0) -> dict[str, float]:
    """The intercept and slopes of a class, for features that are not scaled.

    model: a fitted logistic regression, or a pipeline of a `StandardScaler` and one.
    """
    steps: list[Any] = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    slopes, intercept = steps[-1].coef_[place], steps[-1].intercept_[place]
    for scaler in steps[:-1]:
        slopes = slopes / scaler.scale_
        intercept = intercept - slopes @ scaler.mean_
    return {"intercept": float(intercept), **dict(zip(names, map(float, slopes), strict=True))}


def write_coefficients(path: Path, about: str, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """One table for each model, rounded to four places, below comments that say what they are and where they come from.

    A model with coefficients for each of several classes has a table for each of these.
    """
    document = tomlkit.document()
    for line in about.splitlines():
        document.add(tomlkit.comment(line))
    for name, values in tables.items():
        document[name] = _rounded(values)
    path.write_text(tomlkit.dumps(document), "utf-8")


def replace_coefficients(path: Path, about: str, tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Write some tables of a file as `write_coefficients` does; the other tables stay, and the `threshold` of each, which
    is chosen."""
    stored: dict[str, Mapping[str, Any]] = tomllib.loads(path.read_text("utf-8"))
    for name, values in tables.items():
        chosen = {key: value for key, value in stored.get(name, {}).items() if key == "threshold"}
        stored[name] = {**chosen, **values}
    write_coefficients(path, about, stored)


def _rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _rounded(one) if isinstance(one, Mapping) else round(one, 4) for key, one in values.items()}
