"""Questions from Japanese tables: what a column says for a row."""

from __future__ import annotations

import re

from core.datasets.document_questions.rules.heading_questions_ja import casual
from core.datasets.document_questions.rules.sentence_questions_ja import matter_ja, with_matter_ja
from core.datasets.document_questions.rules.table_rows import CellAsked
from core.datasets.document_questions.section import Section, WrittenQuestion
from core.text.inflection import is_verb
from core.text.japanese import words
from core.text.language import content_words

_CASE = re.compile(r"(?!その他|合計|計$).{1,22}")
_UNITS = "営業日|日|か月|時間|分|回|GB|MB|TB|台|個|件|人|名|枚|着|足|%|割"
_PERSON = re.compile(
    r"(?:社員|職員|会員|学生|スタッフ|パートタイム|アルバイト|管理職|出向者|課長|部長|方|人|者|患者さん|客|員|生|子ども|大人)(?:[(（].{0,80}[)）])?$"
)
_CASES = re.compile(r"区分|対象|利用者|種別|年齢|階級|役職|所属|加入先|雇用|誰|人|場合|地域|曜日|時期")
_MEASURE = re.compile(
    r"(?:料金|費用?|金額|[月年日]額|価格|代金?|手数料|税込|税抜|数|量|速度|期限|期間|時間|率|額|内容|場所|窓口|対象|種類|単価|日|先|者|方法)$"
)
_PRICE_TOPIC = re.compile(r"(?:料|費|代|金|額)(?:の目安)?$")
_SIGN = re.compile(r"[○〇◯×✕✗△可]|不可|あり|なし|有|無")
_COUNT = re.compile(
    rf"(週|月|年|1日)?(?:に|約|最大|[^\d、]{{0,4}})\d[\d,.]*(?:〜\d+)?({_UNITS})(?:間|まで|以内|以上|ほど)?(?:[(（].*)?$"
)
_BY_CELL = (  # what the column's name has, what the cell has, and how it is asked for
    ("", r"(?:\d{1,2}時[^時]*?|\d{1,2}:\d{2}[^:]*?)(?:から|[〜～–-])(?:(?!から|[〜～–-])[^時:])*?\d{1,2}(?:時|:\d{2})", "何時から何時までですか"),
    (r"料金|費用|金額|[月年日]額|価格|代金?$|手数料|税込|税抜|費$|自己負担", r"\d円|無料|なし", "いくらですか"),
    ("", r"^(?:\D{0,6}\d[\d,]*(?:万)?円|\D{0,4}\d[\d,]*ドル)", "いくらですか"),
    ("", r"^(?:\d{4}年)?\d{1,2}月\d{1,2}日(?:[(（].[)）])?(?:から|〜|～)", "いつからいつまでですか"),
    ("", r"^(?:\d{4}年|毎年)?\d{1,2}月(?:\d{1,2}日|末|[上中下]旬)?$", "いつですか"),
    (r"時間$|期間$|年限$", r"\d", "どのくらいですか"),
)  # fmt: skip
_BY_COLUMN = (  # how a column of words is asked for, by its name
    (r"(?:窓口|場所|会場|提出先|申込先|問い合わせ先|連絡先|担当|行き先|どこ.*)$", "{column}はどこですか"),
    (r"(?:対処|対応|どうする.*|直し方|対策|処置|やること)$", "どうすればいいですか"),
    (r"(?:手続き?|申請方法|方法)$", "どんな{column}が必要ですか"),
    (r"(?:日|時期|期限|締め?切り?)$", "{column}はいつですか"),
    (r"(?:料金|費用|金額|月額|年額|価格|代金?|手数料|税込|税抜)$", "{column}はいくらですか"),
    (r"(?:時間|期間)$", "{column}はどのくらいですか"),
)


def cell_question_ja(cell: CellAsked, section: Section) -> WrittenQuestion | None:
    """The question for a cell, which may also be asked openly, without its row; None if it cannot be asked for."""
    column = re.sub(r"[(（][^()（）]*[)）]", "", cell.column).strip()
    case = re.sub(r"[(（][^()（）]{5,}[)）]", "", cell.case).strip()
    asks = _asks(column, cell.cell)
    is_odd = re.search(r"[?？。、]|\d{4}|旧", column) or len(column) > 12 or re.search(r"\d", asks)
    if is_odd or not _CASE.fullmatch(cell.case):
        return None
    about, named, matter = _topic(section, case, column), _named(case, cell.key), _matter(section, column)
    whole = f"{casual(matter)}は{asks}?" if asks and matter else ""
    if _SIGN.fullmatch(cell.cell):
        if not all(_SIGN.match(other) or not other.strip("-－ー") for other in cell.others):
            return None
        asks = "使えますか" if re.search("使え|支払|利用", section.topic) else "大丈夫ですか"
        question = f"{case}は、{column}でも{asks}?"
    elif _are_cases(section):
        question = f"{case}は、{column}の場合{asks or 'どうなりますか'}?"
    elif whole and named:
        question, about = f"{named}{whole}", ""
    else:
        tail = f"{column}は{asks}" if asks else _by_column(column, cell.cell)
        is_clause = any(is_verb(word) for word in words(column))
        lead = named or (f"{case}の場合、" if is_clause or tail.startswith("ど") else f"{case}の")
        question = f"{lead}{tail}" if tail.endswith("。") else f"{lead}{tail}?"
    question = with_matter_ja(casual(question), about) if about else casual(question)
    return cell.question(question, _openly(cell, column, matter, section))


def _openly(cell: CellAsked, column: str, matter: str, section: Section) -> str:
    """How the cells of a column are asked for without their row; "" if that makes no sense."""
    if not cell.key or _SIGN.fullmatch(cell.cell):
        return ""
    asks = {_asks(column, other) for other in cell.others}
    if _are_cases(section):
        is_price = _asks(column, cell.cell) == "いくらですか" and _PRICE_TOPIC.search(section.topic)
        return f"{casual(section.topic)}はいくらですか?" if is_price else ""
    if not matter or len(asks) > 1 or len(set(cell.others)) < 2:
        return ""
    way = asks.pop()
    return f"{casual(matter)}は{way}?" if way else "" if column in matter else f"{casual(matter)}を教えてください。"


def _named(case: str, key: str) -> str:
    """The row as a case before a question: a person, or a figure of the first column; "" if it is a thing."""
    is_figure = re.fullmatch(r"\d[\d,.]*\D{0,8}(?:\d[\d,.]*)?\D{0,8}", case) and len(case) < 8
    if is_figure or re.search(r"[〜～]|以上|未満|以下", case) or len(case) < 2:
        return f"{key}が{case}の場合、" if key and len(key) < 10 else f"{case}の場合、"
    if re.search(r"(?:社員|職員|スタッフ|アルバイト|パートタイム|管理職|部長|課長)$", case):
        return f"{case}ですが、"
    return f"{case}の場合、" if _PERSON.search(case) or _CASES.search(key) else ""


def _by_column(column: str, cell: str) -> str:
    """How a cell of words is asked for, by the name of its column."""
    if re.match(r"(?:要|不要|必要)(?:$|[(（。、])", cell):
        return f"{column}は必要ですか"
    for pattern, way in _BY_COLUMN:
        if re.search(pattern, column) and (re.search(r"\d|なし|無料", cell) or not re.search(r"日|料金|時間", pattern)):
            return way.format(column=column)
    return f"{column}を教えてください。"


def _are_cases(section: Section) -> bool:
    """Whether the columns of the section's table are cases that it compares: all cells of a row are asked for alike."""
    table = section.table()
    columns = table.columns[1:] if table else ()
    if table is None or len(columns) < 2 or any(_MEASURE.search(column) for column in columns):
        return False
    is_clause = [any(is_verb(word) for word in words(column)) and not column.endswith("か") for column in columns]
    if sum(column in section.topic for column in columns) > 1 or all(is_clause):
        return True
    if any(len(set(cells[1:])) < len(cells[1:]) and "" not in cells for cells, _ in table.rows):
        return True
    asked = [{_asks(column, cell) for column, cell in zip(columns, cells[1:], strict=True)} for cells, _ in table.rows]
    return any(len(ways) == 1 and any(ways) for ways in asked)


def _topic(section: Section, case: str, column: str) -> str:
    """What the table is about, if neither the row nor the column says it."""
    matter = matter_ja(section)
    named = set(content_words(f"{case} {column}"))
    if not matter or named & set(content_words(f"{section.topic} {section.subject}")) or matter in case:
        return ""
    return matter


def _matter(section: Section, column: str) -> str:
    """The subject of the column, by the section's heading (国内出張 and 日当: 国内出張の日当); "" if uncertain."""
    topic = re.sub(r"^(?:.{2,8}ごと|本人)の", "", section.topic)
    topic = re.sub(r"(?:の一覧|一覧|の?料金表|早見表|表)$", "", topic)
    if re.search(r"と|・|、|[^の]とき", topic):
        topic = section.subject if 2 <= len(section.subject) < 13 and not re.search(r"と| |　", section.subject) else ""
    if (
        len(topic) < 2
        or re.search(r"\d{3}|旧|[「」:：、]|[^の]と[^の]|とき|場合|もの$|こと$", topic)
        or re.search(r"\d|旧|ごと|など", column)
    ):
        return ""
    if column in topic or topic.endswith(column.split("の")[-1]):
        return topic
    if (
        re.search(r"(?:ルール|決まり|種類.*|方法|手順|上限|枚数|日当|料金|時間|費用|期間|手数料)$", topic)
        or len(f"{topic}{column}") > 19
    ):
        return ""
    return re.sub(r"の(?:金額|日数)$", "", f"{topic}の{column}")


def _asks(column: str, cell: str) -> str:
    """How a cell of this kind is asked for after は; "" if it is neither an amount, a figure nor a time."""
    for of_column, of_cell, way in _BY_CELL:
        if re.search(of_column, column) and re.search(of_cell, cell):
            return way
    found = _COUNT.match(cell)
    period = f"{found[1]}に" if found and found[1] else ""
    return f"{period}何{found[2]}ですか" if found else ""
