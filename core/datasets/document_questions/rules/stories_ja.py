"""A Japanese clause of a heading (…を忘れた) as a story: what happened or is planned, told by the person whom it concerns."""

from __future__ import annotations

import re

from core.text.inflection import Word, is_verb, polite_stem, te_form, words

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
