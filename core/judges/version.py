"""The version of a judge: a hash of all that could change its verdicts."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

CORE = Path(__file__).parents[1]
LENGTH = 12
_KINDS = ("*.md", "*.toml", "*.json", "*.py")
# What the prompts of all judges include and are made with
_SHARED = ("base/fence.py", "judges/judge_prompt.py")
_SHARED_PARTS = ("judge_data", "judge_examples", "judge_history", "today")


def version_of(*parts: str) -> str:
    """The hash of texts: prompts, wordings, settings; another order is another version."""
    seen = hashlib.sha256()
    for part in parts:
        seen.update(f"{len(part)}:{part}".encode())
    return seen.hexdigest()[:LENGTH]


@cache
def version_of_folders(*names: str) -> str:
    """The hash of all prompts, words and rules in folders below `core`, and of what all judges' prompts share."""
    own = (file for name in names for kind in _KINDS for file in (CORE / name).glob(kind))
    parts = (file for name in _SHARED_PARTS for file in (CORE / "base" / "prompt_parts").glob(f"{name}.*.md"))
    files = sorted({*own, *parts, *(CORE / name for name in _SHARED)})
    return version_of(*(f"{file.relative_to(CORE).as_posix()}\n{file.read_text('utf-8')}" for file in files))
