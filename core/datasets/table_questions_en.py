"""Questions from English tables: what a column says for a row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.datasets.draft import Draft, Section
from core.datasets.heading_questions_en import heading_question_en
from core.text.english_verbs import is_plural
from core.text.language import content_words

MOST_ROWS, MOST_COLUMNS = 8, 5
_COUNT = re.compile(r"^(?:up to )?\d[\d,.]*$|^unlimited$", re.IGNORECASE)
_SIZE = re.compile(r"^\d[\d,.]* (?:MB|GB|TB)$")
_TIME = re.compile(
    r"^(?:within |up to |about )?\d[\d.,]*(?: to \d+)? (?:business )?(?:minutes?|hours?|days?|weeks?|months?|years?)\b.{0,12}$"
)
_MONEY = re.compile(r"\d (?:US )?(?:dollars?|euros?|pounds?)|[$€£]\d|^0$")


def table_questions_en(section: Section) -> list[Draft]:
    """One question for each row of a column of figures, amounts or times; openly without the row as well."""
    return list(_questions(section))


def _questions(section: Section) -> Iterator[Draft]:
    table = section.table()
    if table is None or len(table.columns) > MOST_COLUMNS or not 2 <= len(table.rows) <= MOST_ROWS:
        return
    key, values = table.columns[0], tuple(cells[0] for cells, _ in table.rows)
    if not key:  # the rows are what is asked for, the columns whom it is for
        yield from _across(section)
        return
    if len(set(values)) < len(values):
        return
    for place, column in enumerate(table.columns[1:], 1):
        asked = {_asked(column, cells[place], section) for cells, _ in table.rows} - {""}
        if len(asked) != 1:
            continue
        opened = asked.pop()
        for cells, line in table.rows:
            if _asked(column, cells[place], section) and _is_case(cells[0]):
                yield _draft(opened, key, cells[0], values, line)


def _across(section: Section) -> Iterator[Draft]:
    table = section.table()
    if table is None:
        return
    values = table.columns[1:]
    for cells, line in table.rows:
        for place, case in enumerate(values, 1):
            opened = _asked(cells[0], cells[place], section, named=True)
            if opened and _is_case(case):
                yield _draft(opened, "plan" if case.lower().endswith("plan") else "case", case, values, line)


def _is_case(cell: str) -> bool:
    return 2 <= len(cell) <= 30 and not re.search(r"[,/()\"]|\d{3}|\bwithout\b", cell)


def _draft(opened: str, key: str, case: str, values: tuple[str, ...], line: str) -> Draft:
    plan = case.lower().endswith("plan")
    asked = f"{opened[0].lower()}{opened[1:]}"
    name = case if re.search(r"[A-Z].*[A-Z]", case) else case.lower()
    question = f"{opened.removesuffix('?')} on the {case}?" if plan else f"With {name}, {asked}"
    return Draft(question=question, reference=line, asks="value", condition=(key, case, values), open_question=opened)


def _asked(thing: str, cell: str, section: Section, named: bool = False) -> str:
    """How a cell of this kind is asked for without its row; "" if that is not sure."""
    name = thing[0].lower() + thing[1:] if thing and not thing[1:2].isupper() else thing
    heading = heading_question_en(section)
    if _TIME.match(cell) and heading.startswith("How long"):
        return heading
    shares = set(content_words(thing)) & set(content_words(f"{section.topic} {section.subject}"))
    if not thing or len(thing.split()) > 3 or not (named or shares):
        return ""
    if _MONEY.search(cell) and re.search(r"\b(?:price|payment|fee|cost)\b", name):
        return f"What is the {name}?"
    if _COUNT.match(cell) and is_plural(name) and " per " not in name:
        return f"How many {name} can I have?"
    if _SIZE.match(cell):
        return (
            f"How much {name} do I get?"
            if name == "storage"
            else f"What is the {name} allowed?"
            if name.startswith(("largest", "maximum"))
            else ""
        )
    return ""
