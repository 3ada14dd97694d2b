"""The sentence of a Japanese section with which the answer to a kind of question begins."""

from __future__ import annotations

import re

from core.datasets.document_questions.section import Section
from core.text.language import content_words

_TELLS = re.compile(r"(?:ください|下さい|ます|です|ません)。$")
_POINTS = re.compile(r"次の(?:表|とおり|手順|ように)|以下の|の間、|によって(?:異な|違)|で異なります")
_NUMBER = r"\d[\d,.]*"
_PATTERNS = {  # what a sentence must have to answer; "" if any sentence can
    "how": r"(?:から|で|に|へ|を|の).*(?:申請|申し込|提出|入力|登録|連絡|依頼|予約|選|押|開|送|届け出|記入|添付|受け|入れ|作成|渡|用い|使|返却|返し|変更|切り替|解除|ください)",
    "deadline": rf"(?:{_NUMBER}|翌|末|前日|当日|初日|までに).*(?:までに|以内|まで(?:の|です|で|、|。)|が(?:期限|締め切り))",
    "until": rf"(?:まで|{_NUMBER}(?:年|か月|日)|満了|有効)",
    "amount": rf"{_NUMBER}(?:億|万)?(?:円|ドル|ユーロ|%|倍)|無料|無償|かかりません|負担",
    "extent": _NUMBER,
    "count:日数": r"(?<![月\d])\d+日",
    "count:人数": r"(?<![月\d])\d+(?:人|名)",
    "count:枚数": r"(?<![月\d])\d+(?:枚|着|足)",
    "contact": r"内線|電話|窓口|@|課|室|センター|係|担当|部(?:へ|に|が)",
    "date": r"\d{1,2}月|\d{1,2}日|毎[年月日]|末|前に|後に|頃|年で|ごと",
    "hours": r"\d{1,2}時.*(?:から|まで|〜)|24時間",
    "who": r"対象|社員|会員|者|方|人|限|のは",
    "conditions": r"条件|必要|場合|限|以上|以下|以内|とき",
    "needed": r"提出|必要|写し|証明|持|添付|用意",
    "kinds": r"種類|と|、|つ",
    "difference": "",
    "definition": r"(?:です|います|なります|できます|ます)。$",
    "outcome": "",
    "instruction": r"ください|連絡|電話|申請|申し込|提出|入力|登録|報告|相談|届け出|通報|依頼|返却|渡し|取り消せ|再設定|解除|手配",
    "rule": r"ください|禁止|ません|必要|できます|以内|まで|限",
    "necessity": r"必要|不要|添付|提出|要り|出して|省略",
    "permission": r"使え|利用でき|使用でき|できます|条件|必要|限|申請",
    "benefit": r"円|補助|支給|免除|割引|負担|無料|受けられ|対象|支援|%",
    "place": r"[でにへはの]",
    "things": "",
}  # fmt: skip
_EXACT = frozenset({"deadline", "date", "amount", "extent", "hours", "until", "count:日数", "count:人数", "count:枚数"})
_IN_TABLES = frozenset({"kinds", "things", "difference", "extent", "amount", "count:日数", "count:人数", "count:枚数"})
_STEPS = re.compile(r"(?:^|\n)((?:\d+[.)．]\s.*(?:\n|$)){2,})")


def find_answer(kind: str, section: Section, about: str = "") -> str:
    """The steps or the sentence with which the answer begins; "" if no text is sure to have it.

    about: the matter; a figure or a date only answers if the same sentence names the last word of it, or opens the section.
    """
    steps = _STEPS.search(section.text)
    if kind == "how" and steps:
        return steps[1].strip()
    sentences, pattern = section.sentences(), re.compile(_PATTERNS[kind])
    if not sentences or (kind in _IN_TABLES and section.table() is not None):
        return ""
    if kind in _EXACT:
        lines = tuple(steps[1].strip().splitlines()) if steps else ()
        return _figure(pattern, (*lines, *sentences), about)
    if re.match(r"この|これ|それ|ただし|なお|また", sentences[0]):
        return ""
    for place, sentence in enumerate(sentences[:2], 1):
        if _POINTS.search(sentence) or not _TELLS.search(sentence):
            return ""
        if pattern.search(sentence):
            is_named = kind != "how" or about in "".join(sentences[:place])
            return sentences[0] if is_named else ""
    return ""


def _figure(pattern: re.Pattern[str], sentences: tuple[str, ...], about: str) -> str:
    """The sentence with the figure or the date: one that names the matter, else the first."""
    head = set(content_words(about)[-1:])
    is_named_anywhere = any(head <= set(content_words(sentence)) for sentence in sentences)
    for place, sentence in enumerate(sentences):
        is_named = head <= set(content_words(sentence))
        is_past = re.search(r"旧|(?:した|でした)。$", sentence)
        if not pattern.search(sentence) or is_past or (is_named_anywhere and not is_named):
            continue
        if is_named or place == 0 or re.match(r"\d+[.)．]", sentence):
            return re.sub(r"^\d+[.)．]\s*", "", sentence)
    return ""
