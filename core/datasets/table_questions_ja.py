"""Questions from Japanese tables: what a column says for a row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.datasets.draft import Draft, Section
from core.datasets.question_words import casual

MOST_ROWS, MOST_COLUMNS = 8, 4
_UNITS = "営業日|日|か月|時間|分|回|GB|MB|TB|台|個|件|人|名|枚|着|足|%|割"
_PERSON = re.compile(r"(?:社員|職員|会員|学生|スタッフ|パートタイム|アルバイト|管理職|出向者|課長|部長|一般社員)$")
_PART = re.compile(r"の?(?:一覧|早見表|料金表|金額|日数|単価|料金|基準|目安|違い|区分)$")
_KIND = re.compile(
    r"(?:金額|月額|年額|料金|日数|期間|時間|回数|上限|単価|容量|枚数|人数|費用|手数料|限度額|日当|期限|定員|価格|代|費|手当|補助|額|税込|税抜)$"
)


def table_questions_ja(section: Section) -> list[Draft]:
    """One question for each row of a column of amounts, figures or times; openly without the row as well."""
    return list(_questions(section))


def _questions(section: Section) -> Iterator[Draft]:
    table = section.table()
    if table is None or len(table.columns) > MOST_COLUMNS or not 2 <= len(table.rows) <= MOST_ROWS:
        return
    key, values = table.columns[0], tuple(cells[0] for cells, _ in table.rows)
    if not key or len(key) > 8 or re.search(r"\d", key) or len(set(values)) < len(values):
        return
    for place, column in enumerate(table.columns[1:], 1):
        asked = {asked_for(cells[place]) for cells, _ in table.rows} - {""}
        matter = _matter(section, column)
        if len(asked) != 1 or not matter:
            continue
        asks = asked.pop()
        opened = casual(f"{matter}は{asks}?")
        for cells, line in table.rows:
            if (
                not asked_for(cells[place])
                or not 1 <= len(cells[0]) <= 16
                or re.search(r"[・、/()（）]|その他|合計", cells[0])
            ):
                continue
            who = f"{cells[0]}ですが、" if _PERSON.search(cells[0]) else f"{_case(key, cells[0])}の場合、"
            yield Draft(
                question=f"{casual(who)}{opened}",
                reference=line,
                asks="value",
                condition=(key, cells[0], values),
                open_question=opened,
            )


def _case(key: str, cell: str) -> str:
    """The row in words: "片道の距離が25km以上" for a bare figure."""
    return f"{key}が{cell}" if re.match(r"\d", cell) else cell


def _matter(section: Section, column: str) -> str:
    """What the column is about, by the section's heading: 国内出張 and 日当 are 国内出張の日当; "" if that is not sure."""
    topic = re.sub(r"^.{2,8}ごとの", "", section.topic)
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
        np = _PART.sub("", topic)
        np = f"{np}の{column}"
    if re.search(r"[^の]と[^の]|・|とき|場合", np) or len(np) > 20:
        return ""
    return re.sub(r"の(?:金額|日数)$", "", np)


def asked_for(cell: str) -> str:
    """How a cell of this kind is asked for; "" if it is neither an amount, a figure nor hours."""
    if re.search(r"\d{1,2}時.*(?:から|〜|～).*\d{1,2}時", cell):
        return "何時から何時までですか"
    if re.search(r"月\d+日|から|または|、", cell):
        return ""
    if re.search(r"\d円|\dドル", cell):
        return "いくらですか"
    found = re.match(rf"^(週|月|年|1日)?[^\d]{{0,6}}\d[\d,.]*({_UNITS})(?:間|まで|以内|以上)?$", cell)
    each = f"{found[1]}に" if found and found[1] else ""
    return f"{each}何{found[2]}ですか" if found else ""
