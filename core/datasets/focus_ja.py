"""What a Japanese sentence tells that a person would ask for: a date, an amount, a person, a place; asked for in its place."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

from core.text.inflection import Word, surface, words

_UNITS = (
    "営業日|日間|か月間|ヶ月間|カ月間|か月|ヶ月|カ月|週間|時間|分間|年間|年度|日|年|分|秒|回|名|人|台|枚|個|件|着|足|箱|通|本|点|冊|社|歳|"
    "％|%|割|倍|文字|字|段階|種類|世代|桁|GB|MB|KB|TB|km|cm|kg|m|円|ドル"
)
_NUMBER = re.compile(rf"(?<![\d.,第線])(\d[\d,]*(?:\.\d+)?(?:億|万|千)?)({_UNITS})(?!\d)")
_DATE = r"(?:(?:毎年|毎月|翌年度?|翌月|当月|前月|同月|毎週)の?)?(?:\d{4}年)?(?:\d{1,2}月)?(?:\d{1,2}日|末日|第\d+営業日)(?:の\d{1,2}時(?:\d{1,2}分)?)?"
_SPAN = re.compile(rf"{_DATE}から{_DATE}(?P<after>までに|まで|の間に?)?")
_POINT = re.compile(rf"(?P<date>{_DATE})(?P<after>までに|まで|から|に|です)")
_MONTHS = re.compile(r"(?P<date>(?:\d{4}年)?\d{1,2}月(?:と\d{1,2}月){0,11})(?P<after>から|まで|に)")
_CLOCK = re.compile(r"(?<![\d月日])(?:平日の?|毎日)?(\d{1,2})時(?:\d{1,2}分)?から(\d{1,2})時(?:\d{1,2}分)?(?:まで)?")
_WHO = re.compile(
    r"(?P<who>[^\s、。はをがにで「」]{1,16}?)(?P<after>の(?:承認|許可|同意|許諾)|が(?:承認|許可|決定|審査|判断))"
)
_WHERE = re.compile(
    r"(?P<where>(?:[^\s、。はをがにで「」()（）]|「[^「」]{0,60}」|[(（][^()（）]{0,60}[)）]){2,40})(?P<after>へ|に|から)"
    r"(?=お?ご?(?:連絡|電話|相談|申請|提出|報告|申し込|申し出|問い?合わせ|依頼|届け出|予約|送))"
)
_TIMES = re.compile(r"[日時月年週前末中後度期]")
_COMPANY = frozenset(["会社", "当社", "本人", "社員", "利用者"])


class Focus(NamedTuple):
    """What is asked for, and the clause with a question word in its place."""

    asks: str
    clause: str


def focus(clause: str) -> Focus | None:
    """The clause with its news replaced by a question word; none if no such news is found."""
    start = news_start(clause)
    for find in (_deadline, _span, _who, _place, _date, _clock, _number):
        found = find(clause, start)
        if found and not _modifies(found.clause):
            return found
    return None


def _modifies(clause: str) -> bool:
    """Whether a verb after the question word belongs to a noun, so that the clause says something else."""
    place = max(clause.rfind(word) for word in ("何", "いくら", "いつ", "どこ", "誰"))
    after = words(clause[place:])
    return any(
        one.part in ("動詞", "助動詞") and "連体" in one.form and other.part == "名詞"
        for one, other in itertools.pairwise(after)
    )


def news_start(clause: str) -> int:
    """The letter at which what is said of the topic begins: after the last は and the last subordinate clause."""
    place = last = 0
    tokens = words(clause)
    for number, word in enumerate(tokens):
        place += len(word.surface)
        following = tokens[number + 1].surface if number + 1 < len(tokens) else ""
        if word.part == "助詞" and word.detail == "係助詞" and word.surface == "は":
            last = place
        elif following in ("、", "は") and _subordinate(tokens, number):
            last = place + len(following)
    return last


def _subordinate(tokens: tuple[Word, ...], number: int) -> bool:
    word = tokens[number]
    if word.surface in ("とき", "場合", "ため", "際", "後", "前", "うち", "方", "もの"):
        return True
    return word.part == "助詞" and word.detail == "接続助詞" and word.surface in ("ば", "と", "ので", "から", "たら")


def _deadline(clause: str, start: int) -> Focus | None:
    """「翌月の第5営業日までに」 as いつまでに."""
    end = clause.find("までに", start)
    if end < 0:
        return None
    span = _SPAN.search(clause, start)
    if span and span["after"] == "までに":
        return Focus("when", f"{clause[: span.start()]}いつからいつまでに{clause[span.end() :]}")
    before = words(clause[start:end])
    place = len(before)
    while place and (before[place - 1].part in ("名詞", "接頭辞", "接尾辞") or before[place - 1].surface == "の"):
        place -= 1
    phrase = surface(before[place:])
    if place and before[place - 1].part in ("動詞", "助動詞", "連体詞"):
        return None
    if not _TIMES.search(phrase) or phrase.startswith("の") or surface(before[:place]).endswith(("月と", "日と")):
        return None
    return Focus("when", f"{clause[:start]}{surface(before[:place])}いつまでに{clause[end + 3 :]}")


def _span(clause: str, start: int) -> Focus | None:
    found = _SPAN.search(clause, start)
    if not found:
        return None
    return Focus("when", f"{clause[: found.start()]}いつからいつまで{_tail(found['after'])}{clause[found.end() :]}")


def _tail(after: str | None) -> str:
    return {"までに": "に", "の間に": "の間に", "の間": "の間"}.get(after or "", "")


def _date(clause: str, start: int) -> Focus | None:
    for pattern in (_POINT, _MONTHS):
        for found in pattern.finditer(clause, start):
            if found["date"] in ("1日", "2日", "3日") or re.fullmatch(r"\d{1,2}日", found["date"]):
                continue  # a number of days
            before, after = clause[: found.start()], clause[found.end() :]
            if before.endswith(("日の", "月の", "の", "と")) or after.startswith(("以降", "以前", "の間")):
                continue
            particle = "" if found["after"] == "に" else found["after"]
            return Focus("when", f"{before}いつ{particle}{after}")
    return None


def _clock(clause: str, start: int) -> Focus | None:
    found = _CLOCK.search(clause, start)
    return Focus("when", f"{clause[: found.start()]}何時から何時まで{clause[found.end() :]}") if found else None


def _who(clause: str, start: int) -> Focus | None:
    found = _WHO.search(clause, start)
    if not found:
        return None
    who = words(found["who"])
    nouns = [word for word in who if word.part in ("名詞", "接尾辞", "接頭辞")]
    if len(nouns) != len([word for word in who if word.surface not in ("と", "の", "または", "か", "・")]):
        return None
    if (
        found["who"] in _COMPANY
        or not nouns
        or nouns[-1].detail == "数詞"
        or any(sign.isdigit() for sign in found["who"])
    ):
        return None
    return Focus("who", f"{clause[: found.start()]}誰{clause[found.start('after') :]}")


def _place(clause: str, start: int) -> Focus | None:
    found = _WHERE.search(clause, start)
    if not found:
        return None
    where = words(re.sub(r"「[^「」]*」|[(（][^()（）]*[)）]", "", found["where"]))
    if any(word.part in ("動詞", "助動詞", "副詞", "連体詞", "形容詞") for word in where) or not where:
        return None
    if where[-1].surface in (
        "まで",
        "前",
        "後",
        "以内",
        "内",
        "日",
        "時",
        "中",
        "度",
        "とき",
        "際",
        "ため",
        "別",
        "回",
        "一緒",
    ):
        return None
    if _TIMES.search(where[-1].surface) or any(word.detail == "数詞" for word in where):
        return None
    particle = "から" if found["after"] == "から" else "に"
    return Focus("where", f"{clause[: found.start()]}どこ{particle}{clause[found.end() :]}")


def _number(clause: str, start: int) -> Focus | None:
    """The last figure of the news with 何 or いくら in place of the number; "1人につき" and the like are no news."""
    found = [one for one in _NUMBER.finditer(clause, start) if not _is_rate(clause, one)]
    if not found or "から" in clause[start : found[-1].start()][-4:] or re.search(r"〜|～", clause[start:]):
        return None
    last = found[-1]
    before, unit, after = clause[: last.start()], last[2], clause[last.end() :]
    if after.startswith("以下") and "以上" in before[-8:]:
        return None
    if unit in ("年", "年度") and len(last[1]) == 4:
        return None
    if re.search(r"\d{1,2}月$|\d年$|\d時間?$", before) or after.startswith(
        (
            "を超え",
            "を過ぎ",
            "超",
            "未満の",
            "以上の",
            "以下の",
            "前",
            "後",
            "分だけ",
            "だけ",
            "に限",
            "のうち",
            "の間",
            "分を",
        )
    ):
        return None
    return Focus("amount" if unit in ("円", "ドル") else "count", f"{before}{_asked(unit)}{after}")


def _asked(unit: str) -> str:
    return {"円": "いくら", "ドル": "いくら", "名": "何人", "日": "何日", "字": "何文字"}.get(unit, f"何{unit}")


def _is_rate(clause: str, found: re.Match[str]) -> bool:
    after = clause[found.end() :]
    if after.startswith(("につき", "あたり", "当たり", "ごと", "単位", "目")):
        return True
    return found[1] == "1" and bool(_NUMBER.search(clause, found.end()))
