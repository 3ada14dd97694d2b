"""Japanese dialects: the endings and everyday words of Kansai, Kyushu, Chugoku and Tohoku in standard Japanese.

Only what would be misread otherwise: a negation (届かへん) or an ending (とりたいねん, わからんけん) that sounds like a noun
(変, 年, 件), and words that ask or say what is wanted (なんぼ, どない). Other endings hold no word that a search looks for.
"""

from __future__ import annotations

import re

_STOP = r"[。、，．！!？?\s）」』…]|$"
_END = rf"(?={_STOP})"
_AFTER_NEGATION = (
    r"(?=かった|か|ねん|わ|し|の|ん|よう|けど|けんど|から|や|もん|な[らっん]|って|くて|まま|とき|時|人|場合|ので|で|も|ほう|方|理由"
    rf"|さかい|言|思|{_STOP})"
)
_NO_YEAR = (
    r"(?<!らい)(?<!まい)(?<!てい)(?<!えい)(?<!さい)(?<!せい)(?<!すう)(?<!とう)(?<!ゅう)"  # 来年, 毎年, 定年 ... in kana
)
# In this order. What is put in has no kanji: by kanji the spelling of kana knows that a user writes them (`KanaSpelling`).
# The noun 変 or 辺 in kana is no negation: このへん, なにかへん, そこらへん, へんな, 画面がへん.
_RULES = tuple(
    (re.compile(dialect), standard)
    for dialect, standard in (
        # Long vowels and small kana inside the endings below
        (r"(?<=[きしでけせちみ])[ぃぇー](?=[ひへ]ん)", ""),
        # Negation
        (rf"(?<=[ましり])まへん{_AFTER_NEGATION}|(?<=し)まへん", "ません"),
        (rf"かまへん{_AFTER_NEGATION}", "かまわない"),
        (rf"(?<![一-龥々どこで])(?:けえ|け|こう|こえ|こー|きい|き|こ)(?:へん|ひん){_AFTER_NEGATION}", "こない"),
        (rf"でけへん{_AFTER_NEGATION}", "できない"),
        (rf"来[えい]?(?:へん|ひん){_AFTER_NEGATION}", "来ない"),
        (rf"(?:せえ|しい|し|せ)(?:へん|ひん){_AFTER_NEGATION}", "しない"),
        (rf"(?:おら|いて)へん{_AFTER_NEGATION}", "いない"),
        (rf"あらへん{_AFTER_NEGATION}", "ない"),
        (
            rf"(?<!何か)(?<!なにか)(?<!どこか)(?<![こそど]こら)(?<=[かさたなまらわばけげせてでねめべれえ])へん{_AFTER_NEGATION}",
            "ない",
        ),
        (rf"(?<=[いきぎしちにびみりじ])ひん{_AFTER_NEGATION}", "ない"),
        (r"(?<=な)い(?=かった|くて)", ""),
        (r"(?<=[けげせめべれきこくわ])(?<![こそあど]れ)ね[えぇ]", "ない"),
        (rf"(?<=わ[かが]ん)ね[えぇ]?{_END}", "ない"),
        # A noun without its を, which would be read as a verb: 忘れ物した
        (r"(?<=(?:忘れ|調べ)物)(?=し(?:た|て|ま|ちゃ|よ))", "を"),
        # Wishing
        (r"(?<=[きぎしちにびみりめえれせけ])てえ(?=[んのなっ。、]|け|です|と|$)", "たい"),
        # Explaining, politeness, and giving a reason
        (rf"や(?:ねん(?=けど|けんど|な|わ|て|{_STOP})|のん{_END})", "なんだ"),
        (r"(?:(?<=で)|(?<=ま))すねん", "す"),
        (rf"(?<=[いるたうくつぬむ]){_NO_YEAR}ねん(?=けど|けんど|な|わ|て|{_STOP})", "んだ"),
        (r"(?<=まし)てん", "た"),
        (rf"(?<=かっ)てん(?=けど|けんど|な|わ|{_STOP})", "たんだ"),
        (rf"(?<=[かきしちにみりえけれ])まっ(?=か{_STOP}|せ)", "ます"),
        (r"よろしおす", "よろしいです"),
        (rf"(?:(?<=ない)|(?<=です)|(?<=ます)|(?<=[るたんだ])(?<!しん))(?:けん|けえ|さかい|さけ){_END}", "から"),
        (rf"じゃけ(?:ん|え)?{_END}", "だから"),
        (rf"だべ(?=さ|か|な|{_STOP})", "だろう"),
        (rf"(?<=[るすうくんだいた])のん{_END}", "の"),
        # Completion, and favours
        (r"(?<=て)ま(?=[うわ])", "しま"),
        (r"(?<=[てで])(?:しも|もう)(?=た|て(?!る))", "しまっ"),
        (r"もろ(?=た|て)", "もらっ"),
        (r"(?<=[てで])(?:つか[あー]|け)さい|(?<=て)け(?:ろ|らい)(?!ん)", "ください"),
        # Must
        (r"(?:せな|せんと|せんば|せにゃ)(?:あかん|あきまへん|いかん|いけん|ならん|なりまへん)", "しないといけない"),
        (r"(?<=[かさたなまらわば])(?:な|んと|んば|にゃ)(?:あかん|いかん|いけん|ならん)", "ないといけない"),
        # Asking
        (r"なんぼ", "いくら"),
        (rf"(?:どない|どげん|どがん|どがい|どぎゃん|なじょ)(?=し|す|な|い|や|ね|{_STOP})", "どう"),
        (r"(?:^|(?<=[。、！!？?\s]))なして", "なぜ"),
        # Everyday words
        (r"(?<![えねへ])ええ(?=の|ん|か|で|や|け)", "いい"),
        (r"よか(?=と|です|ちゃ|っちゃ|ばい)", "いい"),
        (r"(?<![一-龥のん])なか(?=と[?？。]|ばい|っちゃ)", "ない"),
        (r"あかん(?!ぼ)", "だめ"),
        (r"ほんま(?!つ)", "ほんとう"),
        (r"すん(?:ません|まへん)", "すみません"),
        (r"つこ(?:う)?(?=た|て)", "つかっ"),
        (r"はろ(?:う)?(?=た|て)", "はらっ"),
        (r"ゆう(?=た|て)", "いっ"),
        (r"ほかし(?=た|て)", "すて"),
        (r"もっかい", "もういちど"),
        (r"(?:ようさん|ぎょうさん|ようけ)", "たくさん"),
        (r"いっちょん", "ぜんぜん"),
        (r"ばってん", "だけど"),
    )
)


def standard_japanese(text: str) -> str:
    """The text with endings and everyday words of dialects in standard Japanese."""
    for dialect, standard in _RULES:
        text = dialect.sub(standard, text)
    return text
