"""Turns Japanese predicates into questions: "…してください" into "…すればいいですか", "…できません" into "…できますか"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from core.text.japanese import Word, words

_E_ROW = dict(zip("うくぐすつぬぶむる", "えけげせてねべめれ", strict=True))
_I_ROW = dict(zip("うくぐすつぬぶむる", "いきぎしちにびみり", strict=True))
_PAST = {"く": "いた", "ぐ": "いだ", "す": "した", "ぬ": "んだ", "ぶ": "んだ", "む": "んだ"}  # of others: った


def surface(said: Sequence[Word]) -> str:
    """The words as written."""
    return "".join(word.surface for word in said)


def _irregular(verb: Word, suru: str, kuru: str) -> str:
    """A verb that ends with する or 来る, with that ending replaced; "" for any other."""
    if verb.conjugation.startswith("サ行変格"):
        return f"{verb.base.removesuffix('する')}{suru}"
    if verb.conjugation.startswith("カ行変格"):
        return f"{verb.base.removesuffix('くる').removesuffix('来る')}{kuru}"
    return ""


def conditional(verb: Word) -> str:
    """The ば form of a verb: 取る → 取れば."""
    base = verb.base
    return _irregular(verb, "すれば", "くれば") or f"{base[:-1]}{_E_ROW.get(base[-1], 'れ')}ば"


def polite_stem(verb: Word) -> str:
    """The form of a verb before ます and たい: 取る → 取り."""
    stem = verb.base[:-1] if "一段" in verb.conjugation else f"{verb.base[:-1]}{_I_ROW.get(verb.base[-1], 'り')}"
    return _irregular(verb, "し", "き") or stem


def past(verb: Word) -> str:
    """The plain past of a verb: 取る → 取った."""
    base = verb.base
    if irregular := _irregular(verb, "した", "来た" if base.endswith("来る") else "きた"):
        return irregular
    if "一段" in verb.conjugation:
        return f"{base[:-1]}た"
    return f"{base[:-1]}{'った' if base.endswith(('行く', 'いく')) else _PAST.get(base[-1], 'った')}"


def is_act(noun: str) -> bool:
    """Whether する can follow a noun: 予約, 再設定."""
    return any(word.kind in ("サ変可能", "サ変形状詞可能") for word in words(noun)[-1:])


def is_verb(word: Word) -> bool:
    """Whether a word is a verb."""
    return word.part == "動詞"


@lru_cache(maxsize=4_096)
def as_question(clause: str) -> str:
    """A main clause as a polite question, without its question mark; "" if its ending is unknown."""
    tokens = words(re.sub(r"(?<=[すん])(?:が|ので|けれど)$", "", clause.strip().rstrip("。、")))
    if not tokens:
        return ""
    end = surface(tokens[-2:])
    last = tokens[-1]
    if last.base == "くださる":
        return _request(tokens[:-1])
    if last.surface in ("です", "ます"):
        return f"{surface(tokens)}か"
    if end == "ません":
        return f"{surface(tokens[:-2])}ますか"
    if last.surface == "で" and (last.base == "だ" or tokens[-2:][0].part in ("名詞", "接尾辞")):
        return f"{surface(tokens[:-1])}ですか"
    return f"{surface(tokens)}ますか" if is_verb(last) and "連用" in last.form else ""


def _request(tokens: tuple[Word, ...]) -> str:
    """The words before ください, as "what should I do"."""
    if not tokens:
        return ""
    last = tokens[-1]
    if last.surface in ("て", "で") and len(tokens) > 1 and is_verb(tokens[-2]):
        return f"{surface(tokens[:-2])}{conditional(tokens[-2])}いいですか"
    if last.surface == "で" and surface(tokens[-3:]) == "ないで":
        return ""
    polite = next(
        (place for place in range(len(tokens) - 1, max(-1, len(tokens) - 5), -1) if _is_honorific(tokens, place)), -1
    )
    if polite < 0:
        return ""
    noun = tokens[polite + 1 :]
    if is_verb(last):
        return f"{surface(tokens[:polite])}{surface(noun[:-1])}{conditional(last)}いいですか"
    return f"{surface(tokens[:polite])}{surface(noun)}すればいいですか" if tokens[polite].surface == "ご" else ""


def _is_honorific(tokens: tuple[Word, ...], place: int) -> bool:
    return tokens[place].part == "接頭辞" and tokens[place].surface in ("ご", "お")
