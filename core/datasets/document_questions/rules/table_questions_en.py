"""Questions from English tables: what a column says for a row."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.sentence_questions_en import matter_en, with_matter_en
from core.datasets.document_questions.rules.table_rows import CellAsked
from core.datasets.document_questions.section import Section, WrittenQuestion
from core.text.english import base_form, is_plural
from core.text.language import content_words

_CASE = re.compile(
    r"(?!(?:Other|Total|All|within|after|before|rest|until|below|above|from|if|when)\b)"
    r'(?!.*(?:["“]|\b(?:is|are|does|not|was|has|or)\b))[^/]{2,48}',
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"(?:from |about )?[$€£]\s?\d|\d[\d,.]* (?:US )?(?:dollars?|euros?|pounds?)\b|free\b|nothing\b|0$", re.IGNORECASE
)
_COUNT = re.compile(r"(?:up to )?\d[\d,.]*$|unlimited$", re.IGNORECASE)
_BRACKETED = re.compile(r"(?<!\s)\s*\([^()]*\)")
_SIGN = re.compile(r"[○×✓✗✔✘]|yes|no|included|not included", re.IGNORECASE)
_TIME = re.compile(r"(?:within |up to |about |at least )?\d[\d.,]*(?:(?: to |–|-)\d+)? (?:working |business )?(?:minutes?|hours?|days?|weeks?|months?|years?)\b|same day", re.IGNORECASE)  # fmt: skip
_PRICE = re.compile(r"\b(?:prices?|fees?|costs?|charges?|rent|deposit|fares?|rates?)\b", re.IGNORECASE)
_PERSON = re.compile(r"\b(?:students?|members?|staff|adults?|child(?:ren)?|people|customers?|holders?|residents?|guests?|pupils?|graduates?|undergraduates?|postgraduates?|seniors?)$", re.IGNORECASE)  # fmt: skip
_NOUN = re.compile(
    r"\b(?:address|age|allowance|amount|benefits?|capacity|cause|class|contact|cover(?:age)?|dates?|deadline|discount|distance|duration|e-?mail|"
    r"format|frame|frequency|height|hours|interval|length|level|limit|maximum|minimum|method|number|office|penalty|percentage|period|"
    r"phone|problem|product|quantity|range|reason|removal|requirements?|results?|room|salary|schedule|size|solution|speed|storage|support|"
    r"telephone|temperature|time|turnaround|type|validity|warranty|weight|width|answer|screen reader)$",
    re.IGNORECASE,
)
_OFFER = re.compile(r"\b(?:plan|app|version|edition|model|account|ticket|membership|package|web)$")
_BY_COLUMN = (  # how a column is asked for, by its name
    (r"who\b|for whom|.*eligib", "Who {are} {the} for?"),
    (r"(?:opening |office )?hours\b", "When {are} {the} open?"),
    (r".*(?P<verb>include|cover|contain|mean)(?:s|d|ing)?$", "What {do} {the} {verb}?"),
    (r"what (?:to|you|should).* do|.*(?:action|remedy|what happens)", "What should I do about {the}?"),
    (r".*\b(?:date|deadline)\b", "When {is_name} the {name} for {the}?"),
)
_OPEN_NOUN = re.compile(r"\b(?:dates?|deadline|period|limit|discount|warranty|length|time|benefits|requirements|validity|turnaround|penalty|allowance)$", re.IGNORECASE)  # fmt: skip
_DETERMINER = re.compile(r"(?:the|an?|your|all|any|no|up to|over|under|from|within|before|after|at|on|in|rest of|more|less|each|per|if|with|without|\d.*|[A-Z]\w*\d.*)\b", re.IGNORECASE)  # fmt: skip


def cell_question_en(cell: CellAsked, section: Section) -> WrittenQuestion | None:
    """The question for a cell, which may also be asked openly, without its row; None if its column is of no known kind."""
    column = _BRACKETED.sub("", cell.column).strip()
    if not column or len(column.split()) > 4 or re.search(r"\d{4}", column):
        return None
    if not _CASE.fullmatch(cell.case) or _is_participle(cell.case):
        return None
    name, matter = _small(column), matter_en(section)
    asked = _of_column(cell, name, _plain(_BRACKETED.sub("", cell.case), section), section)
    if not asked:
        return None
    names_topic = set(content_words(asked)) & set(content_words(section.topic))
    question = asked if names_topic or not matter or matter in asked else with_matter_en(asked, matter)
    return cell.question(question, _openly(cell, name, matter, section))


def _plain(text: str, section: Section) -> str:
    """A cell as part of a sentence."""
    text = text.strip()
    first = text.split(" ")[0]
    is_name = (
        any(letter.isupper() or letter.isdigit() for letter in first[1:])
        or re.search(r" [A-Z]", text)
        or re.search(rf"(?<=[a-z,] ){re.escape(first)}\b", section.text)
    )
    return text if is_name else f"{text[:1].lower()}{text[1:]}"


def _small(column: str) -> str:
    """The name of a column as it stands inside of a sentence."""
    first = column.split(" ")[0]
    return column if any(letter.isupper() for letter in first[1:]) else f"{column[:1].lower()}{column[1:]}"


def _the(case: str) -> str:
    if _DETERMINER.match(case) or re.search(r"\d$", case) or _PERSON.search(case) or is_plural(case.split(",")[0]):
        return case
    return f"the {case}"


def _is_participle(case: str) -> bool:
    """Whether a row is named by what happened only: Lost."""
    return " " not in case and base_form(case) not in ("", case.lower())


def _kind(name: str, cell: str) -> str:
    """The kind of answer in a cell: money, count, time; "" for words."""
    if _MONEY.match(cell) and (re.search(r"[$€£]", cell) or _PRICE.search(name)):
        return "money"
    if _TIME.match(cell):
        return "time"
    return "count" if _COUNT.match(cell) and is_plural(name) and " per " not in name else ""


def _of_column(cell: CellAsked, name: str, case: str, section: Section) -> str:
    """How a cell is asked for; "" if its column is of no kind that is known."""
    low, kind, key = name.lower(), _kind(name, cell.cell), _BRACKETED.sub("", cell.key.lower())
    is_name = "are" if is_plural(name) else "is"
    are, do, the = ("are", "do", case) if is_plural(case) else ("is", "does", _the(case))
    if re.fullmatch(r"[\d,.–-]+(?: (?:to|and) [\d,.]+)?(?: ?\w{1,6})?", case):
        if not key or len(key.split()) > 3 or len(case) < 3:
            return ""
        the = f"{key} {case}"
    if _SIGN.fullmatch(cell.cell):
        return f"Does {_the(name)} have {the}?" if _OFFER.search(low) and is_name == "is" else ""
    if _are_cases(section):
        return f"How much {are} {the} ({name})?" if kind == "money" else ""
    for pattern, way in _BY_COLUMN:
        if found := re.match(pattern, low):
            return way.format(are=are, do=do, the=the, name=name, is_name=is_name, **found.groupdict())
    if kind == "count":
        return f"How many {name} can {case} have?" if _PERSON.search(case) else f"How many {name} are there for {the}?"
    if _PRICE.search(name) or _NOUN.search(name):
        return f"What {is_name} the {name} for {the}?"
    return ""


def _openly(cell: CellAsked, name: str, matter: str, section: Section) -> str:
    """How the cells of a column are asked for without their row; "" if that makes no sense."""
    if len(set(cell.others)) < 2 or not cell.key or not matter:
        return ""
    kinds = {_kind(name, other) for other in cell.others}
    kind = kinds.pop() if len(kinds) == 1 else ""
    is_price = bool(_PRICE.search(matter))
    if _are_cases(section):
        of = matter if is_price else f"prices for {matter}"
        return f"What are the {of}?" if _kind(name, cell.cell) == "money" and is_plural(of) else ""
    if kind == "count":
        return f"How many {name} can I have?"
    if set(content_words(name)) & set(content_words(matter)):
        of = matter.removeprefix("the ")
        return f"What {'are' if is_plural(of) else 'is'} the {of}?" if kind == "money" else ""
    is_asked_for = (kind or _OPEN_NOUN.search(name)) and not is_price
    return f"What {'are' if is_plural(name) else 'is'} the {name} for {matter}?" if is_asked_for else ""


def _are_cases(section: Section) -> bool:
    """Whether the columns of the section's table are cases that it compares, and not attributes of each row."""
    table = section.table()
    columns = table.columns[1:] if table else ()
    if table is None or len(columns) < 2 or any(_PRICE.search(column) or _NOUN.search(column) for column in columns):
        return False
    rows = [cells[1:] for cells, _ in table.rows]
    kinds = [{_kind(column, row[place]) for row in rows} for place, column in enumerate(columns)]
    filled = [[cell for cell in row if cell] for row in rows]
    return sum("money" in of_column for of_column in kinds) > 1 or any(len(set(row)) < len(row) for row in filled)
