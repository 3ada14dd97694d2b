"""The pieces of a passage that can be quoted: sentences, steps, and table rows read as sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Literal

from core.base.frozen_model import FrozenModel
from core.bot.embedded.table_sentences import table_sentences
from core.text.language import script, sentences
from core.text.markdown import is_table_line, table_rows, without_bold_line

_STEP = re.compile(r"^\s*(?:(?:\d+[.)．]|[-*])\s+|(?:[・•●◦①-⑳]|[(（]\d{1,2}[)）])\s*)(?=\S)")
_QUOTED_LINE = re.compile(r"^\s*>\s?")
_ENDED = re.compile(r"[。.!?！？:：、,;；)）」』\]]\s*$")
# What a sentence or a list item begins with that says something of one of several things ("Thornby: daily 6:00 to 20:00").
_LABEL = re.compile(
    r"(?:[-*・•●◦]\s*)?(?P<label>[^\W\d](?:(?!://)[^\d:：。.!?！？\n]){1,36}?)\s?[:：](?![/\d])\s*(?=\S)"
)
# Pieces with a label that are as good as the rows of a table.
MIN_LABELLED = 4
# Characters up to which a line without an end is one of its own, and no line of a broken text.
LINE_OF_ITS_OWN = {"ja": 30, "zh": 30, "en": 60}


class Snippet(FrozenModel):
    """One quotable piece of a passage."""

    kind: Literal["sentence", "step", "row"]
    text: str  # a sentence or a list line
    place: int  # its position in the passage
    case: str = ""  # what a table row is about: its first cell
    apart: bool = False  # whether it begins a line after one without a full stop


@lru_cache(maxsize=8192)
def snippets(passage: str) -> tuple[Snippet, ...]:
    """The pieces of a passage in order; a table's rows become sentences that carry the names of their columns."""
    found: list[Snippet] = []
    lines = [without_bold_line(_QUOTED_LINE.sub("", line)) for line in passage.splitlines()]
    for is_table, group in groupby(lines, key=is_table_line):
        if is_table:
            header, *rows = table_rows(group) or [[]]
            texts = table_sentences(header, [cells for cells in rows if any(cells)])
            found += [
                Snippet(kind="row", text=text, place=place, case=case)
                for place, (case, text) in enumerate(texts, len(found))
            ]
        else:
            found.extend(_labelled_as_rows(_snippets_of(list(group), len(found))))
    return tuple(found)


def _labelled_as_rows(pieces: list[Snippet]) -> list[Snippet]:
    """The pieces, those of one kind that follow one another and each say something of another thing as rows."""
    found: list[Snippet] = []
    for labelled, group in groupby(pieces, key=lambda piece: (piece.kind, bool(_LABEL.match(piece.text)))):
        run = list(group)
        if labelled[1] and len(run) >= MIN_LABELLED:
            run = [_as_row(piece) for piece in run]
        found.extend(run)
    return found


def _as_row(piece: Snippet) -> Snippet:
    label = _LABEL.match(piece.text)
    assert label
    return Snippet(kind="row", text=piece.text[label.start("label") :], place=piece.place, case=label["label"].strip())


def _snippets_of(lines: Sequence[str], start: int) -> list[Snippet]:
    """The pieces of lines that are no table; `start`: the place of the first one."""
    found: list[Snippet] = []
    before = ""
    for line in lines:
        if _STEP.match(line):
            found.append(Snippet(kind="step", text=line.strip(), place=start + len(found)))
        else:
            apart = _is_of_its_own(before) and not line[:1].islower()
            for sentence in filter(None, map(str.strip, sentences(line))):
                found.append(Snippet(kind="sentence", text=sentence, place=start + len(found), apart=apart))
                apart = False
        before = line.strip()
    return found


def _is_of_its_own(line: str) -> bool:
    """Whether a line is a short one that ends without a full stop: an item, an address, a title."""
    return bool(line) and not _ENDED.search(line) and len(line) <= LINE_OF_ITS_OWN[script(line)]
