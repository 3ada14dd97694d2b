"""Questions from Japanese tables: what a column says for a row."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_words_ja import casual
from core.datasets.document_questions.rules.rule_question import RuleQuestion
from core.datasets.document_questions.rules.table_rows import RowAsked, rows_asked
from core.datasets.document_questions.section import Section

_KEY = re.compile(r"\D{1,8}")
_CASE = re.compile(r"(?!.*(?:[・、/()（）]|その他|合計)).{1,16}")
_UNITS = "営業日|日|か月|時間|分|回|GB|MB|TB|台|個|件|人|名|枚|着|足|%|割"
_PERSON = re.compile(r"(?:社員|職員|会員|学生|スタッフ|パートタイム|アルバイト|管理職|出向者|課長|部長|一般社員)$")
_KIND = re.compile(
    r"(?:金額|月額|年額|料金|日数|期間|時間|回数|上限|単価|容量|枚数|人数|費用|手数料|限度額|日当|期限|定員|価格|代|費|手当|補助|額|税込|税抜)$"
)


def table_questions_ja(section: Section) -> list[RuleQuestion]:
    """One question for each row of a column of amounts, figures or times; openly without the row as well."""

    def opened(column: str, cell: str) -> str:
        matter, asks = _matter(section, column), asked_for(cell)
        return casual(f"{matter}は{asks}?") if matter and asks else ""

    return [
        _rule_question(row)
        for row in rows_asked(section, opened)
        if _KEY.fullmatch(row.key) and _CASE.fullmatch(row.case)
    ]


def _rule_question(row: RowAsked) -> RuleQuestion:
    if _PERSON.search(row.case):
        who = f"{row.case}ですが、"
    else:
        who = f"{row.key}が{row.case}の場合、" if re.match(r"\d", row.case) else f"{row.case}の場合、"
    return row.question(f"{casual(who)}{row.opened}")


def _matter(section: Section, column: str) -> str:
    """What the column is about, by the section's heading: 国内出張 and 日当 are 国内出張の日当; "" if that is not sure."""
    topic = re.sub(r"^(?:.{2,8}ごと|本人)の", "", section.topic)
    if re.search(r"\d{3}|旧|料金表|早見表|一覧", topic):
        return ""
    if re.search(r"\d|旧|ごと|備考|など|[()（）]", column) or len(column) > 8 or re.search(r"[「」:：]", topic):
        return ""
    last = column.split("の")[-1]
    if topic.endswith((column, last)):
        np = topic
    elif not _KIND.search(column) or re.search(r"(?:ルール|決まり|種類.*|方法|手順|上限|枚数|日当)$", topic):
        return ""
    else:
        np = f"{topic}の{column}"
    if re.search(r"[^の]と[^の]|・|とき|場合", np) or len(np) > 20:
        return ""
    return re.sub(r"の(?:金額|日数)$", "", np)


def asked_for(cell: str) -> str:
    """How a cell of this kind is asked for; "" if it is neither an amount, a figure nor hours."""
    if re.search(r"\d{1,2}時[^時]*?(?:から|〜|～)[^時]*?\d{1,2}時", cell):
        return "何時から何時までですか"
    if re.search(r"月\d+日|から|または|、", cell):
        return ""
    if re.search(r"\d円|\dドル", cell):
        return "いくらですか"
    found = re.match(rf"^(週|月|年|1日)?[^\d]{{0,6}}\d[\d,.]*({_UNITS})(?:間|まで|以内|以上)?$", cell)
    period = f"{found[1]}に" if found and found[1] else ""
    return f"{period}何{found[2]}ですか" if found else ""
