"""Questions from English tables: what a column says for a row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.datasets.document_questions.rules.heading_questions_en import heading_question_en
from core.datasets.document_questions.rules.rule_question import RuleQuestion
from core.datasets.document_questions.rules.table_rows import MOST_COLUMNS, RowAsked, rows_asked
from core.datasets.document_questions.section import Section
from core.text.english_verbs import is_plural
from core.text.language import content_words

_CASE = re.compile(r'(?!.*(?:[,/()"]|\d{3}|\bwithout\b)).{2,30}')
_COUNT = re.compile(r"^(?:up to )?\d[\d,.]*$|^unlimited$", re.IGNORECASE)
_SIZE = re.compile(r"^\d[\d,.]* (?:MB|GB|TB)$")
_TIME = re.compile(
    r"^(?:within |up to |about )?\d[\d.,]*(?: to \d+)? (?:business )?(?:minutes?|hours?|days?|weeks?|months?|years?)\b.{0,12}$"
)
_MONEY = re.compile(r"\d (?:US )?(?:dollars?|euros?|pounds?)|[$€£]\d|^0$")


def table_questions_en(section: Section) -> list[RuleQuestion]:
    """One question for each row of a column of figures, amounts or times; openly without the row as well."""

    def opened(column: str, cell: str) -> str:
        return _asked(column, cell, section)

    rows = (*rows_asked(section, opened), *_across(section))
    return [_rule_question(row) for row in rows if row.key and _CASE.fullmatch(row.case)]


def _across(section: Section) -> Iterator[RowAsked]:
    """A table whose rows are what is asked for and whose columns are whom it is for."""
    table = section.table()
    if table is None or table.columns[0] or len(table.columns) > MOST_COLUMNS:
        return
    values = table.columns[1:]
    for cells, line in table.rows:
        for place, case in enumerate(values, 1):
            opened = _asked(cells[0], cells[place], section, named=True)
            if opened and len(set(cells[1:])) > 1:
                yield RowAsked(opened, "plan" if case.lower().endswith("plan") else "case", case, values, line)


def _rule_question(row: RowAsked) -> RuleQuestion:
    name = row.case if re.search(r"[A-Z].*[A-Z]", row.case) else row.case.lower()
    if row.case.lower().endswith("plan"):
        question = f"{row.opened.removesuffix('?')} on the {row.case}?"
    else:
        question = f"With {name}, {row.opened[0].lower()}{row.opened[1:]}"
    return row.question(question)


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
        if name == "storage":
            return "How much storage do I get?"
        return f"What is the {name} allowed?" if name.startswith(("largest", "maximum")) else ""
    return ""
