"""The text of a Japanese section that answers a kind of question: the first sentence that has such an answer."""

from __future__ import annotations

import re

from core.datasets.document_questions.section import Section
from core.text.language import content_words

_LEANS = re.compile(
    r"^(?:ただし|なお|また|しかし|一方|さらに|ほかに|それ|その|この|これ|同じ|いずれも|例えば|たとえば)"
)
_TELLS = r"(?:ください|下さい|ます|です|ません)。$"
_DOES = re.compile(
    r"(?:ください|連絡|電話|申請|申し込|提出|入力|登録|報告|相談|届け出|通報|依頼|返却|渡し|取り消せ|再設定|解除|手配)"
)
_NUMBER = r"\d[\d,.]*"
PATTERNS = {  # what a sentence must have to answer; "." if any sentence can
    "how": r"(?:から|で|に|へ|を|の).*(?:申請|申し込|提出|入力|登録|連絡|依頼|予約|選|押|開|送|届け出|記入|添付|受け|入れ|作成|渡|用い|使|返却|返し|変更|切り替|解除|ください)",
    "deadline": rf"(?:{_NUMBER}|翌|末|前日|当日|初日|までに).*(?:までに|以内|まで(?:の|です|で|、|。)|が(?:期限|締め切り))",
    "until": rf"(?:まで|{_NUMBER}(?:年|か月|日)|満了|有効)",
    "amount": rf"{_NUMBER}(?:億|万)?(?:円|ドル|ユーロ|%|倍)|無料|無償|かかりません|負担",
    "extent": rf"{_NUMBER}",
    "contact": r"内線|電話|窓口|@|課|室|センター|係|担当|部(?:へ|に|が)",
    "date": r"\d{1,2}月|\d{1,2}日|毎[年月日]|末|前に|後に|頃|年で|ごと",
    "hours": r"\d{1,2}時.*(?:から|まで|〜)|24時間",
    "who": r"対象|社員|会員|者|方|人|限|のは",
    "conditions": r"条件|必要|場合|限|以上|以下|以内|とき",
    "needed": r"提出|必要|写し|証明|持|添付|用意",
    "kinds": r"種類|と|、|つ",
    "difference": r".",
    "definition": r"(?:です|います|なります|できます|ます)。$",
    "outcome": r".",
    "instruction": _DOES.pattern,
    "rule": r"ください|禁止|ません|必要|できます|以内|まで|限",
    "necessity": r"必要|不要|添付|提出|要り|出して|省略",
    "permission": r"使え|利用でき|使用でき|できます|条件|必要|限|申請",
    "benefit": r"円|補助|支給|免除|割引|負担|無料|受けられ|対象|支援|%",
    "place": r"[でにへはの]",
    "things": r".",
}  # fmt: skip
_COUNTERS = {"日数": "日", "人数": "人|名", "枚数": "枚|着|足"}
EXACT = frozenset({"deadline", "date", "amount", "extent", "count", "hours", "until"})
WHOLE = frozenset({"difference", "kinds", "things", "rule", "outcome", "conditions"})
STEPS = re.compile(r"(?:^|\n)((?:\d+[.)．]\s.*(?:\n|$)){2,})")
_CONDITION = re.compile(r"^[^、]{2,40}(?:ときは|とき|場合は|場合|際は|たら|れば)、")


def find_answer(kind: str, section: Section, about: str = "") -> str | None:
    """The first text of the section that answers a kind of question; none if no text is sure to.

    about: the matter; a figure or a date only answers if the same sentence names the last word of it, or opens the section.
    """
    steps = STEPS.search(section.text)
    if kind == "how" and steps:
        return steps[1].strip()
    kind, _, counted = kind.partition(":")
    if section.table() is not None and kind in ("kinds", "things", "difference", "extent", "amount", "count"):
        return None
    pattern = re.compile(rf"(?<![月\d])\d+(?:{_COUNTERS[counted]})" if counted else PATTERNS[kind])
    sentences = section.sentences()
    if kind in EXACT:
        lines = tuple(steps[1].strip().splitlines()) if steps else ()
        return _exact(pattern, (*lines, *sentences), about)
    if sentences and re.match(r"(?:この|これ|それ|ただし|なお|また)", sentences[0]):
        return None
    for place, sentence in enumerate(sentences[:2]):
        if re.search(
            r"次の(?:表|とおり|手順|ように)|以下の|の間、|によって(?:異な|違)|で異なります", sentence
        ) or not re.search(_TELLS, sentence):
            return None
        if not pattern.search(sentence):
            continue
        if kind == "how" and about and about not in "".join(sentences[: place + 1]):
            return None
        return _joined(section, sentences, place, kind)
    return None


def _exact(pattern: re.Pattern[str], sentences: tuple[str, ...], about: str) -> str | None:
    """The sentence with the figure or the date: one that names the matter, else the first."""
    last = [*content_words(about)][-1:]
    head = set(last)
    fitting = [
        (place, sentence)
        for place, sentence in enumerate(sentences)
        if pattern.search(sentence)
        and not _LEANS.match(sentence)
        and "旧" not in sentence
        and not re.search(r"(?:した|でした)。$", sentence)
    ]
    for place, sentence in fitting:
        named = not head or head <= set(content_words(sentence))
        if not named and any(head <= set(content_words(other)) for other in sentences):
            continue
        condition = _CONDITION.match(sentence)
        if condition and not (head and head <= set(content_words(condition[0]))):
            continue
        if named or place == 0 or re.match(r"\d+[.)．]", sentence):
            return re.sub(r"^\d+[.)．]\s*", "", sentence)
    return None


def _joined(section: Section, sentences: tuple[str, ...], place: int, kind: str) -> str | None:
    """The section's text from its first sentence to the one that answers, and one more if the answer goes on."""
    own = sentences[place]
    last = max(place, 1 if kind in WHOLE else 0)
    text = "".join(sentences[: last + 1])
    if text in section.text:
        return text
    return own if place == 0 else None
