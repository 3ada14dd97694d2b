"""The sentence of a Japanese section with which the answer to a kind of question begins."""

from __future__ import annotations

import re

from core.datasets.document_questions.section import Section

_TELLS = re.compile(r"(?:ください|下さい|ます|です|ません)。$")
_POINTS = re.compile(r"次の(?:表|とおり|手順|ように)|以下の|の間、|によって(?:異な|違)|で異なります")
_PATTERNS = {  # what a sentence must have to answer; "" if any sentence can
    "how": r"(?:から|で|に|へ|を|の).*(?:申請|申し込|提出|入力|登録|連絡|依頼|予約|選|押|開|送|届け出|記入|添付|受け|入れ|作成|渡|用い|使|返却|返し|変更|切り替|解除|ください)",
    "contact": r"内線|電話|窓口|@|課|室|センター|係|担当|部(?:へ|に|が)",
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
_IN_TABLES = frozenset({"kinds", "things", "difference"})
_STEPS = re.compile(r"(?:^|\n)((?:\d+[.)．]\s.*(?:\n|$)){2,})")


def find_answer(kind: str, section: Section, about: str = "") -> str:
    """The steps or the sentence with which the answer begins; "" if no text is sure to have it.

    about: what steps have to name.
    """
    steps = _STEPS.search(section.text)
    if kind == "how" and steps:
        return steps[1].strip()
    sentences, pattern = section.sentences(), re.compile(_PATTERNS[kind])
    if not sentences or (kind in _IN_TABLES and section.table() is not None):
        return ""
    if re.match(r"この|これ|それ|ただし|なお|また", sentences[0]):
        return ""
    for place, sentence in enumerate(sentences[:2], 1):
        if _POINTS.search(sentence) or not _TELLS.search(sentence):
            return ""
        if pattern.search(sentence):
            is_named = kind != "how" or about in "".join(sentences[:place])
            return sentences[0] if is_named else ""
    return ""
