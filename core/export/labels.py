"""Labels as a file: CSV, JSON Lines or a workbook, with what was asked and answered."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Literal, get_args

import pandas as pd

from core.agreement.sampling import chances
from core.analysis.label_import import BETTER
from core.analysis.label_pools import is_chats, label_queue, turns_of_pool
from core.base.clean_text import clean
from core.base.tables import escape_formula
from core.export.cells import MAX_EXCEL_LETTERS, fit_cell, json_lines, strip_control
from core.store.labels import OPEN, TurnPlace, bot_of_chats
from core.store.store import Store

LabelFormat = Literal["csv", "jsonl", "xlsx"]
LABEL_FORMATS: tuple[LabelFormat, ...] = get_args(LabelFormat)
LabelRow = dict[str, Any]
WORDS = {"yes": "yes", "no": "no", "": "cannot say", OPEN: ""}
CUT = "…"


def label_rows(store: Store, pool: str) -> list[LabelRow]:
    """A row per label: the turn's id, conversation and texts, the reviewer, the label, grades, texts, and how it came.

    chance: of the turn to be labelled by now, if it was labelled in the drawn order; open labels (grades or texts
    without a verdict) have an empty label. What `agreement --labels` and the import read. Of a bot's chats, choices of the
    better of two replies follow: `better` is this reply, the other (`other_id`, `other_answer`), both good or both bad.
    """
    turns = turns_of_pool(store, pool)
    labels = store.labels.of_pool(pool)
    places = store.labels.places(pool)
    known = chances(label_queue(store, turns), {one.turn_id for one in labels if one.verdict != OPEN})
    criteria = list(dict.fromkeys(name for one in labels for name in one.grades))
    rows: list[LabelRow] = [
        {
            **_place(places[one.turn_id]),
            "reviewer": one.reviewer,
            "label": WORDS[one.verdict],
            **{f"grade_{name}": one.grades.get(name) for name in criteria},
            "comment": one.comment,
            "corrected": one.corrected,
            "source": one.source,
            "blind": one.blind,
            "chance": known.get(one.turn_id),
            "created_at": one.created_at.isoformat() if one.created_at else "",
        }
        for one in labels
    ]
    return [*rows, *_choice_rows(store, bot_of_chats(pool))] if is_chats(pool) else rows


def _choice_rows(store: Store, bot: str) -> list[LabelRow]:
    """The choices between two replies, marked by their source, without a label."""
    chosen = [one.preference for one in store.preferences.of_bot(bot)]
    places = store.labels.places_of(list(dict.fromkeys(turn for one in chosen for turn in (one.left, one.right))))
    return [
        {
            **_place(places[one.left]),
            "reviewer": one.reviewer,
            "label": "",
            "source": "better_of_two",
            "better": BETTER[one.choice],
            "other_id": places[one.right].id,
            "other_answer": places[one.right].answer,
        }
        for one in chosen
    ]


def _place(turn: TurnPlace) -> LabelRow:
    fields = turn._asdict()
    return {"turn" if name == "number" else name: value for name, value in fields.items()}


def labels_file(rows: Sequence[LabelRow], form: LabelFormat) -> bytes:
    """The rows as a file; no text is taken for a formula."""
    if form == "jsonl":
        return json_lines(clean(row) for row in rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    longest = MAX_EXCEL_LETTERS - 1 if form == "csv" else MAX_EXCEL_LETTERS  # 1: an apostrophe may come
    cells = [[_text(row.get(name), longest) for name in names] for row in rows]
    table: Any = pd.DataFrame(cells, columns=[strip_control(name) for name in names], dtype=object)
    out = io.BytesIO()
    if form == "csv":
        texts = table.map(escape_formula)
        texts.to_csv(out, index=False, encoding="utf-8-sig", errors="replace", lineterminator="\r\n")
    else:
        options = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
        table.to_excel(out, sheet_name="labels", index=False, engine="xlsxwriter", engine_kwargs={"options": options})
    return out.getvalue()


def _text(value: Any, longest: int) -> object:
    """A cell: numbers as they are, the rest as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return "" if value is None else value
    return fit_cell(str(value), longest, CUT)
