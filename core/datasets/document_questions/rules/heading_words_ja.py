"""The words of Japanese headings in the forms that questions need: a noun of action as a verb, a clause as a story."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from core.base.toml import bundled_toml
from core.text.inflection import Word, conditional, is_act, is_verb, polite_stem, te_form, words

_PARTICLES = {"への": "に", "からの": "から", "での": "で"}
_MANNERS = {
    "使い": "使えば", "見": "見れば", "付け": "付ければ", "結び": "結べば", "取り": "取れば", "開き": "開けば", "選び": "選べば", "書き": "書けば", "出し": "出せば",
}  # fmt: skip


def question_words() -> Mapping[str, Any]:
    """The tables of the file by their names."""
    return bundled_toml(__file__, "heading_words_ja.toml")


def heading_words(groups: dict[str, str]) -> dict[str, str] | None:
    """The parts of a heading by name, and what follows from them; none if they are not what they are taken for.

    np is a plain matter. act, a noun of action, gives verb, if, stem and te (取る, 取れば, 取り, 取って), and with np
    thing: the matter with the particle of the verb. clause gives story, a sentence before the question, and done, its
    verb before ます; event gives story, manner gives if.
    """
    parts = dict(groups)
    if "np" in parts and not is_plain_matter(parts["np"]):
        return None
    if noun := parts.get("act"):
        if not is_act(noun) and noun not in question_words()["acts"]:
            return None
        particle, forms = _verb_forms(noun)
        parts |= forms
        parts["thing"] = f"{parts.get('np', '')}{_PARTICLES.get(parts.get('to', ''), particle)}"
    if clause := parts.get("clause"):
        last = words(clause)[-1]
        if last.part not in ("動詞", "助動詞", "形容詞"):
            return None
        story = as_story(clause)
        parts["story"] = re.sub(r"(?<=たいです)。$", "のですが、", f"{story}。") if story else ""
        parts["done"] = f"{clause[: -len(last.surface)]}{polite_stem(last)}" if is_verb(last) else ""
    if event := parts.get("event"):
        parts["story"] = f"{question_words()['mishaps'][event]}。"
    return parts | {"if": _MANNERS[parts["manner"]]} if "manner" in parts else parts


@cache
def _verb_forms(noun: str) -> tuple[str, dict[str, str]]:
    """A noun of action as a verb: its particle, and its forms. For example 返却 gives を and 返す, 予約 を and 予約する."""
    particle, verb = question_words()["acts"].get(noun, ("を", ""))
    if not verb or verb.endswith("する"):
        return particle, {"verb": f"{noun}する", "if": f"{noun}すれば", "stem": f"{noun}し", "te": f"{noun}して"}
    word = words(verb)[-1]
    before = verb.removesuffix(word.surface)
    forms = {"if": conditional(word), "stem": polite_stem(word), "te": te_form(word)}
    return particle, {"verb": verb, **{name: f"{before}{form}" for name, form in forms.items()}}


def casual(text: str) -> str:
    """A text with the shorter words that people write."""
    for long, short in question_words()["casual"].items():
        text = text.replace(long, short)
    return text


def is_plain_matter(text: str) -> bool:
    """Whether a text names one matter as people do: no list, and a plain noun phrase."""
    if re.search(r"[・、]|など|による|に関する|ごと", text) or len(text) > 20:
        return False
    tokens = words(text)
    joined = re.search(r"[^の]と[^の]", text) and any(word[0] == "と" and word.part == "助詞" for word in tokens)
    return tokens[-1].part in ("名詞", "接尾辞", "記号", "補助記号") and not joined


_MISHAP = re.compile(
    r"忘れ|なくし|無くし|失く|紛失|誤|間違|壊|破損|落と|盗|切れ|遅れ|ロック|漏|感染|失効|超え|過ぎ|汚|遭|差し戻|拒否|却下|断ら|止め|停止"
)
_CHANGES = ("変わる", "なる", "始まる", "終わる", "決まる", "外れる", "かかる", "増える", "減る", "切り替わる", "移る")
_HAPPENS = ("届く", "来る", "出る", "起きる", "見つかる", "鳴る", "消える", "止まる", "壊れる", "切れる")


def as_story(clause: str) -> str:
    """The clause as the person would tell it; "" if it cannot stand alone."""
    if found := re.fullmatch(r"(?P<np>.{2,14})が疑われる|(?P<past>.{3,20}た)おそれがある", clause):
        return f"{found['np'] or found['past']}かもしれません"
    tokens = words(clause)
    if len(tokens) < 2 or re.search(r"は|も|など|[」』)]$|^(?:その|この)", clause):
        return ""
    last, before = tokens[-1], tokens[-2]
    stem = clause[: -len(last.surface) - len(before.surface)]
    if last.surface in ("た", "だ") and last.part == "助動詞":
        return _past_tense(clause, stem, before)
    if last.surface == "ない" and last.part in ("助動詞", "形容詞"):
        if is_verb(before):
            return f"{stem}{polite_stem(before)}ません"
        return f"{clause[:-2]}ません" if before.base in ("れる", "られる") else f"{clause}です"
    if last.surface == "たい":
        return f"{clause}です"
    if last.base in ("れる", "られる") and last.part == "助動詞":
        return f"{clause[:-1]}ました"
    if is_verb(last) and last.surface == last.base and re.search("連体|終止", last.form):
        return _planned(clause, last)
    return ""


def _past_tense(clause: str, stem: str, verb: Word) -> str:
    is_mishap = bool(_MISHAP.search(clause))
    if verb.base in ("れる", "られる"):
        return f"{clause[:-1]}てしまいました" if is_mishap else f"{clause[:-1]}ました"
    if not is_verb(verb):
        return ""
    if is_mishap and verb.base not in ("しまう", "ちゃう"):
        return f"{stem}{te_form(verb)}しまいました"
    return f"{stem}{polite_stem(verb)}ました"


def _planned(clause: str, verb: Word) -> str:
    stem = f"{clause[: -len(verb.surface)]}{polite_stem(verb)}"
    if verb.base in ("過ぎる", "超える", "遅れる"):
        return f"{stem}そうです"
    if verb.base in _HAPPENS or re.search(r"(?:に|く)なる$", clause):
        return f"{stem}ました"
    if verb.base in _CHANGES:
        return f"{clause}ことになりました"
    if verb.base in ("ある", "いる"):
        return ""
    if "が" in clause:
        return f"{stem}ます"
    return f"{clause}予定です"
