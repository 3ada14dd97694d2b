"""Questions from English tables: what a column says for a row."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.sentence_questions_en import matter_en, with_matter_en
from core.datasets.document_questions.rules.table_rows import CellAsked, cells_asked
from core.datasets.document_questions.section import Section, WrittenQuestion
from core.text.english import base_form, is_plural
from core.text.language import content_words

_CASE = re.compile(r'(?!(?:Other|Total|All)\b)(?!.*["“])[^/]{2,48}')
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
_OPEN_NOUN = re.compile(r"\b(?:dates?|deadline|period|limit|discount|warranty|length|time|benefits|requirements|validity|turnaround|penalty|allowance)$", re.IGNORECASE)  # fmt: skip
_DETERMINER = re.compile(r"(?:the|an?|your|all|any|no|up to|over|under|from|within|before|after|at|on|in|rest of|more|less|each|per|if|with|without|\d.*|[A-Z]\w*\d.*)\b", re.IGNORECASE)  # fmt: skip


def table_questions_en(section: Section) -> list[WrittenQuestion]:
    """Questions for the cells of each row; openly without the row if all cells of a column are asked for alike."""
    made = [_question(cell, section) for cell in cells_asked(section) if _CASE.fullmatch(cell.case)]
    return [question for question in made if question is not None]


def _question(cell: CellAsked, section: Section) -> WrittenQuestion | None:
    column = _BRACKETED.sub("", cell.column).strip()
    if not column or len(column.split()) > 4 or re.search(r"\d{4}", column):
        return None
    if (
        re.match(r"(?:within|after|before|rest|until|below|above|from|if|when)\b", cell.case, re.IGNORECASE)
        or _is_participle(cell.case)
        or re.search(r"\b(?:is|are|does|not|was|has|or)\b", cell.case)
    ):
        return None
    case, name = _plain(_BRACKETED.sub("", cell.case), section), _small(column)
    matter = matter_en(section)
    kinds = {_kind(name, other) for other in cell.others}
    asked = _of_column(cell, name, case, section)
    if not asked:
        return None
    opened = ""
    if len(set(cell.others)) > 1 and cell.key and matter:
        if _are_cases(section):
            of = (
                matter
                if _PRICE.search(matter) and matter not in ("prices", "fees", "charges")
                else f"prices for {section.subject if _PRICE.search(matter) else matter}"
            )
            opened = f"What are the {of}?" if _kind(name, cell.cell) == "money" and is_plural(of) else ""
        elif len(kinds) == 1 and kinds != {""}:
            opened = _open(name, matter, kinds.pop())
        elif (
            _OPEN_NOUN.search(name)
            and name in asked
            and not (
                set(content_words(name)) & set(content_words(matter))
                or re.search(r"\b(?:hours|desks?|\w+ing)\b", matter)
            )
        ):
            opened = f"What {'are' if is_plural(name) else 'is'} the {name} for {matter}?"
    names_topic = set(content_words(asked)) & set(content_words(section.topic))
    question = asked if names_topic or not matter or matter in asked else with_matter_en(asked, matter)
    return cell.question(question, opened)


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
    return (
        case
        if _DETERMINER.match(case) or re.search(r"\d$", case) or _PERSON.search(case) or is_plural(case.split(",")[0])
        else f"the {case}"
    )


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
    low, kind, key = name.lower(), _kind(name, cell.cell), cell.key.lower()
    are, do, the = ("are", "do", case) if is_plural(case) else ("is", "does", _the(case))
    if re.fullmatch(r"[\d,.–-]+(?: (?:to|and) [\d,.]+)?(?: ?\w{1,6})?", case):
        key = _BRACKETED.sub("", key)
        the = f"{key} {case}" if key and len(key.split()) < 4 else ""
        if not the or len(case) < 3:
            return ""
    if _SIGN.fullmatch(cell.cell):
        is_thing = re.search(
            r"\b(?:plan|app|version|edition|model|account|ticket|membership|package|web)$", low
        ) or re.fullmatch(r"[A-Z]\w+", cell.column)
        return (
            f"Does {cell.column if ' ' not in cell.column else _the(name)} have {the}?"
            if is_thing and not is_plural(name) and not re.search(r"role|who|group", key)
            else ""
        )
    if _are_cases(section):
        if kind == "money":
            return f"How much {are} {the} ({name})?"
        return f"How many {case} can I have with {_the(name)}?" if _COUNT.match(cell.cell) and is_plural(case) else ""
    if re.match(r"where\b|location|place", low):
        return (
            f"Where {are} {the}?"
            if re.search(r"desk|office|service|team|room|building|department|shop|place", key)
            else ""
        )
    if re.match(r"who\b|for whom|eligib", low):
        return f"Who {are} {the} for?" if not _PERSON.search(case) else ""
    if re.match(r"(?:opening |office )?hours\b", low):
        return f"When {are} {the} open?"
    if re.match(r"(?:includes|covers|contains|means)\b|meaning$|included$", low):
        verb = "mean" if "mean" in low else "include" if "includ" in low else low.split(" ")[0].removesuffix("s")
        return f'What does "{cell.case}" mean?' if verb == "mean" and " " not in case else f"What {do} {the} {verb}?"
    if re.match(r"what (?:to|you|should).* do|action|remedy|what happens", low):
        return f"What should I do about {the}?"
    if (
        kind == "time"
        and re.search(r"\b(?:time|takes?|duration|long|workshop|turnaround|ready)\b", low)
        and not is_plural(case)
    ):
        return f"How long {do} {the} take?"
    if kind == "count":
        return f"How many {name} can {case} have?" if _PERSON.search(case) else f"How many {name} are there for {the}?"
    if re.search(r"\b(?:date|deadline)\b", low):
        return f"When {'are' if is_plural(name) else 'is'} the {name} for {the}?"
    if _PRICE.search(name) or _NOUN.search(name):
        return f"What {'are' if is_plural(name) else 'is'} the {name} for {the}?"
    return ""


def _open(name: str, matter: str, kind: str) -> str:
    """How the cells of a column are asked for without their row."""
    shares = set(content_words(name)) & set(content_words(matter))
    if not shares and (_PRICE.search(matter) or not matter):
        return ""
    of = "" if shares else f" for {matter}"
    if kind == "count":
        return f"How many {name} can I have?"
    if kind == "time" and re.search(r"\b(?:time|duration|long)\b", name):
        return f"How long does it take{of}?"
    if shares and kind != "money":
        return ""
    thing = matter if shares else name
    return f"What {'are' if is_plural(thing) else 'is'} the {thing.removeprefix('the ')}{of}?"


def _are_cases(section: Section) -> bool:
    """Whether the columns of the section's table are cases that it compares, and not attributes of each row."""
    table = section.table()
    if table is None or len(table.columns) < 3 or any(_PRICE.search(column) for column in table.columns[1:]):
        return False
    if any(_NOUN.search(column) for column in table.columns[1:]):
        return False
    columns = table.columns[1:]
    amounts = [
        any(_kind(column, cells[place]) == "money" for cells, _ in table.rows)
        for place, column in enumerate(columns, 1)
    ]
    return sum(amounts) > 1 or any(
        len({cell for cell in cells[1:] if cell}) < len([cell for cell in cells[1:] if cell]) for cells, _ in table.rows
    )
