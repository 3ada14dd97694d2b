"""Cutting a passage into the pieces that can be quoted: sentences, steps, table rows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from core.answer.tables import row_text
from core.base.language import sentences
from core.base.types import Noun

_STEP = re.compile(r"^\s*(?:\d+[.)．]|[-*・])\s+")
_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\||$)")


class Unit(Noun):
    """One quotable piece; `text` reads as a sentence or a list line, `place` is its order in the passage."""

    kind: Literal["sentence", "step", "row"]
    text: str
    place: int


@lru_cache(maxsize=8192)
def units(passage: str) -> tuple[Unit, ...]:
    """The pieces of a passage in order; a table's rows become sentences that carry the names of their columns."""
    found: list[Unit] = []
    header: list[str] = []
    for line in passage.splitlines():
        if line.lstrip().startswith("|"):
            cells = _cells(line)
            if _RULE.match(line):
                continue
            if not header:
                header = cells
            elif any(cells):
                found.append(Unit(kind="row", text=row_text(header, cells), place=len(found)))
            continue
        header = []
        if _STEP.match(line):
            found.append(Unit(kind="step", text=line.strip(), place=len(found)))
        else:
            for sentence in sentences(line):
                if sentence.strip():
                    found.append(Unit(kind="sentence", text=sentence.strip(), place=len(found)))
    return tuple(found)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
