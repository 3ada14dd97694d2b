"""Questions that a Japanese heading promises an answer to, in the words of somebody who asks; the answer is looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.datasets.document_questions.rules.heading_shapes_ja import SHAPES
from core.datasets.document_questions.rules.heading_words_ja import casual, heading_words, question_words
from core.datasets.document_questions.rules.rule_question import HeadingShape, RuleQuestion, choice
from core.datasets.document_questions.section import Section
from core.text.inflection import words

_PERSON = re.compile(
    r"([一-龠ァ-ヶー]{0,6}(?:社員|職員|会員|学生|スタッフ|パートタイム|アルバイト|管理職|出向者|受講者|未成年))の(?=.{3,})"
)


def heading_questions_ja(section: Section) -> list[RuleQuestion]:
    """The questions that the section's heading promises an answer to, each with the text that answers it."""
    topic = section.topic
    if not 3 <= len(topic) <= 34 or re.search(r"^\d|[「」→:：?？]|\d{3,}|手引き|早見表|一覧|改定|旧", topic):
        return []
    one = _of_one(topic)
    person = _PERSON.match(one)
    found: list[RuleQuestion] = []
    for asked in _asked(one[person.end() :] if person else one):
        answer = find_answer(asked.kind, section, asked.about)
        question = casual(choice(asked.ways, f"{topic}{asked.kind}"))
        if not answer or re.search(r"など|・", question):  # a list: people ask about one thing
            continue
        story = f"{person[1]}ですが、{question}" if person else question
        story = story if story.endswith("。") else f"{story}?"
        found.append(RuleQuestion(question=story, reference=answer, asks=asked.kind))
    return found


def _of_one(topic: str) -> str:
    """The heading with the first of several things of a kind, as people ask about one: 電車・バスの領収書 is 電車の領収書.

    Things of which the first alone says something else (休業・休職中, 正社員・契約社員の…) keep their list.
    """
    topic = re.sub(r"^本人の(?=.{3,})", "", topic)
    found = re.fullmatch(
        r"(?P<first>[^・をがにへでとのは、]{2,12})(?:・[^・をがにへでとのは、]{2,12})+(?P<rest>[をがにへでの].+)", topic
    )
    if found is None or words(found["first"])[-1].part not in ("名詞", "接尾辞", "記号"):
        return topic
    return f"{found['first']}{found['rest']}"


def _asked(topic: str) -> Iterator[HeadingShape]:
    """What a heading promises; of two things of one matter (申請方法と期限), each."""
    if asked := _by_shape(topic):
        yield asked
        return
    found = re.fullmatch(
        r"(?P<np>.{2,16})の(?P<first>[^のと・]{1,8})の?(?P<also>手順|方法)?[と・](?P<second>[^のと・]{2,8})", topic
    )
    if found is None or found["np"].endswith(("時", "後", "とき")):
        return
    act = re.match(r"申請|申し出|届け出|提出|取得|申し込み", found["first"])
    for tail in (f"{found['first']}{found['also'] or ''}", found["second"]):
        whole = f"{act[0]}{tail}" if act and re.fullmatch(r"期限|締め切り|手順|方法", tail) else tail
        if whole not in question_words()["lists"]["doable"] and (asked := _by_shape(f"{found['np']}の{whole}")):
            yield asked


def _by_shape(topic: str) -> HeadingShape | None:
    return next((asked for shape in SHAPES if (asked := shape.asked(topic, heading_words))), None)


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
