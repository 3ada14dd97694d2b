"""Results of optimizations, kept as files in the data folder."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from core.base.files import write_text
from core.base.settings import settings
from core.optimization.search import OptimizationResult


class StoredResult(NamedTuple):
    """A result with its name, which sorts by time, and when it was made (UTC)."""

    name: str
    made_at: datetime
    result: OptimizationResult


def store_result(result: OptimizationResult) -> str:
    """Keep a result. Returns its name."""
    made = datetime.now(UTC)
    name = f"{made:%Y%m%dT%H%M%S%f}-{result.bot}-{result.key.replace('/', '.')}"
    write_text(_folder() / f"{name}.json", result.model_dump_json(indent=1))
    return name


def stored_results(bot: str, key: str = "") -> list[StoredResult]:
    """The results of a bot (of one prompt), the newest first; a file that cannot be read is left out."""
    found: list[StoredResult] = []
    for file in sorted(_folder().glob("*.json"), reverse=True):
        made = re.match(r"\d{8}T\d{6}", file.name)
        try:
            result = OptimizationResult.model_validate_json(file.read_bytes())
        except (ValidationError, OSError):
            continue
        if made and result.bot == bot and key in ("", result.key):
            made_at = datetime.strptime(made[0], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
            found.append(StoredResult(file.stem, made_at, result))
    return found


def _folder() -> Path:
    return settings().data_dir / "optimizations"
