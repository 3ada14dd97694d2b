"""Japanese sentences from the words of a scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.simulation.facts import family_of
from core.text.fact_sheet import Fact
from core.text.japanese import words
from core.text.language import content_words
from core.text.questions import ends_asking

_WHO = re.compile(
    r"^[^。]{0,60}?(?:社員|職員|スタッフ|パートタイム|アルバイト|課長|部長|管理職|担当者?|利用者|契約者|会員|ユーザー?|顧客|お客様|本人|管理者|所有者|オーナー|人|方|者)(?:が|は)、"
)
_PREDICATE = re.compile(
    r"(?:ない|たい|った|いた|した|んだ|れた|えた|けた|めた|てた|きた|ちた|りた|ぎた|みた|しい|る|[うくすむぐぶぬ])$"
)
_NOUN_END = re.compile(
    r"(?:ほう|ふう|とう|どう|よう|ひとつ|おしゃべり|ばく|そく|らく|らい|りす|です|ます|ません|ました|でした)$"
)
_POLITE = re.compile(r"(?:です|ます|ません|ました|でした|ください|でしょう)$")
_GREETING = re.compile(
    r"^(?:こんにちは|こんばんは|おはようございます|はじめまして|お世話になって(?:おり|い)ます|すみません|恐れ入りますが?)[、。!！\s]*"
)
_YES = frozenset({"はい", "yes", "true", "○", "該当", "該当する"})
_NO = frozenset({"いいえ", "no", "false", "×", "該当しない"})
_NONE = frozenset({"なし", "無し", "無", "ない"})
_SOME = frozenset({"あり", "有り", "有", "ある"})


def fact_sentences(facts: Sequence[Fact]) -> list[str]:
    """A polite sentence for each fact without its full stop (勤務地は大阪支社です); one alone may lose its label."""
    return [_fact_sentence(fact, len(facts) == 1) for fact in facts]


def _fact_sentence(fact: Fact, alone: bool) -> str:
    label, value = fact.label, fact.value.rstrip("。. ")
    sentence = _yes_or_no(label, value)
    if sentence:
        return sentence
    if is_predicate(value):
        return _predicate_sentence(fact, value)
    family = family_of(label)
    if family and family.ja and not _POLITE.search(value):
        return family.ja.replace("{value}", value)
    if not label or _POLITE.search(value) or (alone and family and family.alone and len(value) > 1):
        return polite(value)
    return f"{_topic(label)}{polite(value)}"


def fact_bare(fact: Fact) -> str:
    """The shortest way to say it: the value, with its label if the value alone could mean anything."""
    label, value = fact.label, fact.value.rstrip("。. ")
    if not label or value in _YES:
        return value
    if value in _NO | _NONE | _SOME:
        return label + ("ではない" if value in _NO else "なし" if value in _NONE else "あり")
    family = family_of(label)
    name = family.name if family else ""
    said_alone = name in {"symptom", "purpose", "wanted"}
    clear = said_alone or (family is not None and family.alone and not is_predicate(value))
    return value if clear else f"{label}は{value}"


def without_person(intent: str) -> str:
    """An intent without the words that describe the person from outside, if two content words are left."""
    text = intent.strip().rstrip("。. ")
    shorter = _WHO.sub("", text, count=1)
    return shorter if shorter != text and len(content_words(shorter)) >= 2 else text


def intent_phrases(intent: str) -> tuple[str, str]:
    """(polite sentence, shortest form) of an intent, without the words that describe the person from outside."""
    text = without_person(intent)
    if ends_asking(text):
        return text, text
    if is_predicate(text) or _POLITE.search(text):
        return polite(text), text
    if text.endswith("か"):
        return f"{text}知りたいです", f"{text}知りたい"
    return f"{text}について知りたいです", f"{text}について"


def choice_sentence(choice: str) -> str:
    """A choice as a sentence."""
    return polite(choice) if len(choice) <= 14 and "・" not in choice else f"「{choice}」の件です"


def question_phrases(question: str) -> tuple[str, str]:
    """(sentence, shortest form) of the opening question, without a greeting before it."""
    text = _GREETING.sub("", question.strip()).strip() or question.strip()
    text = text.rstrip("。. ")
    if ends_asking(text) or _POLITE.search(text) or not is_predicate(text):
        return (text if ends_asking(text) or _POLITE.search(text) else f"{text}のことです"), text
    return polite(text), text


def polite(text: str) -> str:
    """A noun phrase or a plain predicate made a polite sentence, in forms that cannot be conjugated wrongly."""
    if _POLITE.search(text):
        return text
    if re.search(r"(?:たい|ほしい|欲しい)$", text):
        return f"{text}です"
    if is_predicate(text):
        return f"{text}んです"
    return f"{text}です"


def is_predicate(text: str) -> bool:
    """Whether the text ends in a plain verb or adjective rather than a noun."""
    return bool(_PREDICATE.search(text)) and not _NOUN_END.search(text)


def _yes_or_no(label: str, value: str) -> str:
    plain = value.lower()
    if not label:
        return {"はい": "はい、そうです", "いいえ": "いいえ、違います"}.get(value, "")
    if plain in _YES:
        return f"はい、{label}です"
    if plain in _NO:
        return f"{label}ではありません"
    if plain in _NONE:
        return f"{label}はありません"
    return f"{label}はあります" if plain in _SOME else ""


def _predicate_sentence(fact: Fact, value: str) -> str:
    """The label of a state ("状況") is not said; any other is what the state is about."""
    family = family_of(fact.label)
    if not fact.label or (family and family.name in {"symptom", "wanted"}):
        return polite(value)
    if family and family.name == "purpose":
        return f"{value}ことが目的です" if re.search(r"[うくすむぐぶぬるつ]$", value) else polite(value)
    return f"{fact.label}は{polite(value)}"


def _topic(label: str) -> str:
    """「なくしたもの」 becomes 「なくしたのは」."""
    return f"{label[:-2]}のは" if re.search(r"(?:た|たい|る)(?:もの|こと)$", label) else f"{label}は"


_EMPTY_NOUN = re.compile("こと|もの|とき|時|場合|ため|方|ほう|よう|件|何|なに|どれ|私|自分|つもり|はず|わけ|中|以上")
_ASKING = frozenset(["いつ", "いくら", "どこ", "誰"])


def keywords(text: str) -> list[str]:
    """The nouns and asking words of a text in order, compounds whole, as somebody types who has no time."""
    found: list[str] = []
    joined = False
    for word in words(text):
        empty = word.detail == "助動詞語幹" or _EMPTY_NOUN.fullmatch(word.surface)
        noun = word.part in ("名詞", "接頭辞", "接尾辞") and not empty
        if word.surface in _ASKING:
            found.append(word.surface)
        elif noun and joined:
            found[-1] += word.surface
        elif noun and word.part != "接尾辞":
            found.append(word.surface)
        joined = noun and bool(found)
    return list(dict.fromkeys(found))
