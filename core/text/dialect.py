"""Japanese dialects: the endings and everyday words of Kansai, Kyushu, Chugoku and Tohoku in standard Japanese.

Only what would be misread otherwise: a negation (届かへん) or an ending (とりたいねん, わからんけん) that sounds like a noun
(変, 年, 件), and words that ask or say what is wanted (なんぼ, どない). Other endings hold no word that a search looks for.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_STOP = r"[。、，．！!？?\s）」』…]|$"
_END = rf"(?={_STOP})"
_AFTER_NEGATION = (
    r"(?=かった|か|ねん|わ|し|の|ん|よう|けど|けんど|から|や|もん|な[らっん]|って|くて|まま|とき|時|人|場合|ので|で|も|ほう|方|理由"
    rf"|さかい|言|思|{_STOP})"
)
_NO_YEAR = r"(?<!らい)(?<!まい)(?<!てい)(?<!えい)(?<!さい)(?<!せい)(?<!すう)(?<!とう)(?<!ゅう)"  # 来年, 毎年, 定年 ... in kana


class _Rule(NamedTuple):
    dialect: re.Pattern[str]
    standard: str


def _rules(pairs: tuple[tuple[str, str], ...]) -> tuple[_Rule, ...]:
    return tuple(_Rule(re.compile(pattern), standard) for pattern, standard in pairs)


# In this order. The noun 変 or 辺 in kana is no negation: このへん, なにかへん, そこらへん, へんな, 画面がへん.
_RULES = _rules(
    (
        # Negation
        (rf"(?<![一-龥々どこ])(?:けー|けえ|こー|こう|こえ|きー|きい|こ)(?:へん|ひん){_AFTER_NEGATION}", "来ない"),
        (rf"来[えい]?(?:へん|ひん){_AFTER_NEGATION}", "来ない"),
        (rf"(?:せえ|せー|しい|しー)(?:へん|ひん){_AFTER_NEGATION}", "しない"),
        (rf"(?:おら|いて)へん{_AFTER_NEGATION}", "いない"),
        (rf"あらへん{_AFTER_NEGATION}", "ない"),
        (
            rf"(?<!何か)(?<!なにか)(?<!どこか)(?<![こそど]こら)(?<=[かさたなまらわばけげせてでねめべれえ])へん{_AFTER_NEGATION}",
            "ない",
        ),
        (rf"(?<=[いきぎしちにびみりじ])ひん{_AFTER_NEGATION}", "ない"),
        (r"(?<=な)い(?=かった)", ""),
        (rf"(?<=[かさたなまらわば])ね(?:え|ぇ|ー)?(?:んだ|ぐて|けど|べか?){_END}", "ない"),
        (rf"(?<=わ[かが]ん)ね(?:え|ぇ|ー)?{_END}", "ない"),
        # Explaining and giving a reason
        (rf"やねん(?=けど|けんど|な|わ|て|{_STOP})", "なんだ"),
        (rf"(?<=[いるたうくすつぬむ]){_NO_YEAR}ねん(?=けど|けんど|な|わ|て|{_STOP})", "んだ"),
        (rf"(?<=かっ)てん(?=けど|けんど|な|わ|{_STOP})", "たんだ"),
        (rf"(?:(?<=ない)|(?<=です)|(?<=ます)|(?<=[るたんだ])(?<!しん))(?:けん|けえ|さかい|さけ){_END}", "から"),
        (rf"じゃけ(?:ん|え)?{_END}", "だから"),
        (rf"だべ(?=さ|か|な|{_STOP})", "だろう"),
        # Must
        (r"(?:せな|せんと|せんば|せにゃ)(?:あかん|あきまへん|いかん|いけん|ならん|なりまへん)", "しないといけない"),
        (r"(?<=[かさたなまらわば])(?:な|んと|んば|にゃ)(?:あかん|いかん|いけん|ならん)", "ないといけない"),
        # Asking
        (r"なんぼ", "いくら"),
        (rf"(?:どない|どげん|どがん|どがい|どぎゃん|なじょ)(?=し|す|な|い|や|ね|{_STOP})", "どう"),
        (r"(?:^|(?<=[。、！!？?\s]))なして", "なぜ"),
        # Everyday words
        (r"(?<![えねへ])ええ(?=の|ん|か|で|や|け)", "いい"),
        (r"あかん(?!ぼ)", "だめ"),
        (r"ほんま(?!つ)", "本当"),
        (r"すん(?:ません|まへん)", "すみません"),
        (r"もろ(?=た|て)", "もらっ"),
        (r"(?<=[てで])しも(?=た|て)", "しまっ"),
        (r"(?<=[てで])もう(?=た|て(?!る))", "しまっ"),
        (r"つこ(?:う)?(?=た|て)", "使っ"),
        (r"ゆう(?=た|て)", "言っ"),
        (r"ほかし(?=た|て)", "捨て"),
        (r"(?:ようさん|ぎょうさん|ようけ)", "たくさん"),
        (r"いっちょん", "全然"),
        (r"ばってん", "だけど"),
    )
)


def standard_japanese(text: str) -> str:
    """The text with endings and everyday words of dialects in standard Japanese."""
    for rule in _RULES:
        text = rule.dialect.sub(rule.standard, text)
    return text
