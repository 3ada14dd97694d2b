"""Questions that a Japanese heading promises an answer to, in the user's words, each with the text that answers it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.base.toml import bundled_toml
from core.datasets.document_questions.rules.heading_forms import HeadingForm, find_answer, first_question
from core.datasets.document_questions.section import Section
from core.text.inflection import is_act, is_verb, polite_stem
from core.text.japanese import words

_TABLES: Mapping[str, Any] = bundled_toml(__file__, "heading_questions_ja.toml")
_NP = r"(?P<np>[^をが]{2,18}?)"
_TO = "(?P<to>への|からの|での|の)"
_CLAUSE = r"(?P<clause>.{3,24}?(?:る|た|ない|う|く|す|つ|ぬ|ぶ|む|ぐ))"
_HANDLED = "(?:の(?:.{1,3}の)?(?:対応|対処|手続き|手順|対応手順|届け出|再設定|修正|報告|申請|処置|方法))?"
_DO = (
    "{done}たいのですが、どうすればいいですか?",
    "{done}たいです。手順を教えてください。",
    "{do}には、まず何をすればいいですか?",
    "{do}やり方が分かりません。教えてください。",
)
FORMS = (
    HeadingForm(
        rf"(?!.*が){_CLAUSE}(?:方法|手順|手続き|申請|やり方)",
        ("{done}たいのですが、どうすればいいですか?", "{done}たいです。やり方を教えてください。"),
    ),
    HeadingForm(
        rf"{_CLAUSE}(?:とき|場合|際){_HANDLED}",
        ("{story}どうすればいいですか?", "{story}まず何をすればいいですか?"),
    ),
    HeadingForm(
        rf"(?P<np>[^・]{{2,16}}?)(?:・.+)?の(?P<event>紛失|盗難|故障|破損|誤送信|漏えい)(?:[・と].{{2,6}})?時?{_HANDLED}",
        ("{np}{story}どうすればいいですか?", "{np}{story}まず何をすればいいですか?"),
    ),
    HeadingForm(
        rf"{_NP}の?(?P<manner>使い|見|付け|結び|取り|開き|選び|書き|出し)方(?:と.{{2,6}})?",
        ("{np}はどう{if}いいですか?",),
    ),
    HeadingForm(
        rf"{_NP}の(?P<act>発行|再発行|支給)",
        (
            "{np}を{act}してもらいたいのですが、どうすればいいですか?",
            "{np}を{act}してもらいたいです。どんな手続きが必要ですか?",
        ),
    ),
    HeadingForm(
        rf"(?:{_NP}(?<![方者人中後時]){_TO})?(?P<act>(?!.*(?:機能|サービス))[^のと・]{{2,6}}?)(?<![中後時])の?(?:方法|手順|手続き|手続|やり方|仕方)",
        _DO,
    ),
    HeadingForm(rf"{_NP}(?<![方者人中後時]){_TO}(?P<act>{'|'.join(_TABLES['doable'])})", _DO),
    HeadingForm(rf"{_NP}の流れ", ("{np}は、どんな流れになりますか?",)),
)
_TELLS = re.compile(
    r"ください|禁止|^(?>.*?(?:から|で|に|へ|を|の)).*(?:申請|申し込|提出|入力|登録|連絡|電話|依頼|予約|相談|報告|通報|選|押|開|送|届け出|記入|添付|受け|入れ|作成|渡|用い|使|返却|返し|変更|切り替|解除)"
)
_SENTENCE = re.compile(r"(?:ください|下さい|ます|です|ません)。$")
_PARTICLES = {"への": "に", "からの": "から", "での": "で"}
_MANNERS = {
    "使い": "使えば", "見": "見れば", "付け": "付ければ", "結び": "結べば", "取り": "取れば", "開き": "開けば", "選び": "選べば", "書き": "書けば", "出し": "出せば",
}  # fmt: skip


def heading_question_ja(section: Section) -> tuple[str, str]:
    """The question that the section's heading promises an answer to, and where the answer begins; "", "" if it does not."""
    topic = section.topic
    if not 3 <= len(topic) <= 34 or re.search(r"^\d|[「」→:：?？]|\d{3,}|手引き|早見表|一覧|改定|旧", topic):
        return "", ""
    question = casual(first_question(FORMS, _with_first_of_several(topic), _words))
    answer = find_answer(section, _tells) if question else ""
    if not answer or re.search(r"など|・", question):  # a list: people ask about one thing
        return "", ""
    return question, answer


def _tells(sentence: str) -> bool:
    """Whether a sentence tells the reader what to do: 窓口へ申し込みます。"""
    return bool(_TELLS.search(sentence) and _SENTENCE.search(sentence))


def _with_first_of_several(topic: str) -> str:
    """The heading with only the first of several things of a kind: 電車・バスの領収書 is 電車の領収書.

    Things of which the first alone says something else (休業・休職中, 正社員・契約社員の…) keep their list.
    """
    thing = "[^・をがにへでとのは、]{2,12}"
    found = re.fullmatch(rf"(?P<first>{thing})(?:・{thing})+(?P<rest>[をがにへでの].+)", topic)
    if found is None or words(found["first"])[-1].part not in ("名詞", "接尾辞", "記号"):
        return topic
    return f"{found['first']}{found['rest']}"


def _words(groups: dict[str, str]) -> dict[str, str] | None:
    """The parts of a heading by name, and words derived from them; None if the parts do not fit.

    np is a plain matter. act, a noun of action, gives do and done: its verb, with the matter as its object, and the form
    before ます (休みを取る, 休みを取り). clause gives done, too, and story, a sentence before the question; event gives
    story, manner gives if.
    """
    parts = dict(groups)
    if "np" in parts and not _is_plain_matter(parts["np"]):
        return None
    if noun := parts.get("act"):
        if not is_act(noun) and noun not in _TABLES["acts"]:
            return None
        particle, verb = _TABLES["acts"].get(noun, ("を", f"{noun}する"))
        thing = f"{parts['np']}{_PARTICLES.get(parts.get('to', ''), particle)}" if "np" in parts else ""
        parts["do"], parts["done"] = f"{thing}{verb}", f"{thing}{_before_masu(verb)}"
    if clause := parts.get("clause"):
        story = _story(clause)
        parts["story"] = f"{story}。" if story else ""
        parts["done"] = _before_masu(clause)
    if event := parts.get("event"):
        parts["story"] = f"{_TABLES['mishaps'][event]}。"
    return parts | {"if": _MANNERS[parts["manner"]]} if "manner" in parts else parts


def _before_masu(clause: str) -> str:
    """A clause in its form before ます: 休みを取る → 休みを取り; "" if it does not end with a verb."""
    last = words(clause)[-1]
    return f"{clause.removesuffix(last.surface)}{polite_stem(last)}" if is_verb(last) else ""


def casual(text: str) -> str:
    """A text with the shorter words that people write."""
    for long, short in _TABLES["casual"].items():
        text = text.replace(long, short)
    return text


def _is_plain_matter(text: str) -> bool:
    """Whether a text names one matter as people do: no list, and a plain noun phrase."""
    if re.search(r"[・、]|など|による|に関する|ごと|とき|場合", text):
        return False
    tokens = words(text)
    joined = re.search(r"[^の]と[^の]", text) and any(word.surface == "と" and word.part == "助詞" for word in tokens)
    return tokens[-1].part in ("名詞", "接尾辞", "記号", "補助記号") and not joined


def _story(clause: str) -> str:
    """The clause as the person would tell it; "" if it cannot stand alone."""
    if found := re.fullmatch(r"(?P<np>.{2,14})が疑われる|(?P<past>.{3,20}た)おそれがある", clause):
        return f"{found['np'] or found['past']}かもしれません"
    tokens = words(clause)
    if len(tokens) < 2 or re.search(r"は|も|など|[」』)]$|^(?:その|この)", clause):
        return ""
    last, before = tokens[-1], tokens[-2]
    stem = clause.removesuffix(f"{before.surface}{last.surface}")
    is_passive = before.base in ("れる", "られる")
    polite = before.surface if is_passive else polite_stem(before) if is_verb(before) else ""
    if last.surface in ("た", "だ") and last.part == "助動詞":
        return f"{stem}{polite}ました" if polite else ""
    if last.surface == "ない" and last.part in ("助動詞", "形容詞"):
        return f"{stem}{polite}ません" if polite else f"{clause}です"
    if is_verb(last) and last.surface == last.base and last.base not in ("ある", "いる"):
        return f"{_before_masu(clause)}ます" if "が" in clause else f"{clause}予定です"
    return ""
