"""What kind of trouble a message tells of: danger to a life, a death, harassment, or another one."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from core.text.normalize import normalize

Trouble = Literal["danger", "bereavement", "harassment", "distress"]
_DANGER = re.compile(
    r"死にた|死のうと|死んでしまいた|死ぬ(?:つもり|しかない|って|と言)|消えてしまいた|消えたい(?:$|[。！!…と])|生きていたくな|自殺|自死|自傷|リストカット"
    r"|リスカ|飛び降り(?:る|たい|よう)|首を?[吊つ]|殺(?:す|し(?:て|たい)|され)|命(?:が|の|に)(?:危|かか|関わ)|殴ら|刺さ(?:れ|せ)|暴力を"
    r"|\bkill(?:s|ing)? (?:my|him|her|your|them)sel\w+|\b(?:to|will|gonna) kill (?:me|us|him|her|them)\b|\bsuicid\w*|\bself-?harm\w*"
    r"|\bend(?:ing)? (?:my|his|her|their) (?:own )?li(?:fe|ves)|\bend it all\b|\b(?:want|wants|wanted|going|wish\w*) to (?:die|be dead)\b"
    r"|\btak(?:e|ing) (?:my|his|her|their) own life|\b(?:do not|don['’]t|doesn['’]t) want to (?:live|be alive)"
    r"|\bli(?:fe|ves) (?:is|are|may be|might be|could be|in)? ?(?:in|at) (?:danger|risk)|\b(?:hurt|cut)(?:s|ting)? (?:my|him|her|them)sel\w+"
    r"|\bbeat(?:s|ing)? me\b|\bhits? me\b|\boverdos\w+",
    re.IGNORECASE,
)
_BEREAVED = re.compile(
    r"(?:父|母|親|夫|妻|子|娘|息子|兄|弟|姉|妹|祖|家族|身内|親戚|親族|友|人|おじ|おば|じい|ばあ)[^。！!?？]{0,12}(?:亡くな|亡くし|逝去|他界|不幸)"
    r"|(?:身内|家|親戚)[^。]{0,4}不幸|訃報"
    r"|\b(?:mother|father|mum|mom|dad|parents?|husband|wife|son|daughter|brother|sister|grand\w+|uncle|aunt|friend|partner"
    r"|colleague|family|relative|someone)\b[^.!?]{0,30}\b(?:died|passed away|has died)|\blost my (?:mother|father|husband|wife|son|daughter|brother|sister)",
    re.IGNORECASE,
)
_HARASSED = re.compile(
    r"(?:ハラ(?:スメント)?|いじめ|嫌がらせ|いやがらせ|脅し|ストーカー|つきまとい|暴言|差別|痴漢)[^。！!?？]{0,10}(?:され|受け|うけ|遭|あって|あい|にあ|られ|困|つら|辛)"
    r"|(?:怒鳴|いじめ|脅さ|脅迫さ|無視さ|罵倒さ|触ら|付きまとわ|つきまとわ|否定さ|晒さ|さらさ)(?:られ|れ)"
    r"|\b(?:being|been|was|am|get|getting|got|feel) (?:\w+ly )?(?:bullied|harass\w+|threatened|stalked|abused|insulted|humiliated|groped|discriminated|shouted at|yelled at|doxx?ed)"
    r"|\b(?:bull(?:y|ies|ying)|harass(?:es|ing)?|threaten(?:s|ing)?|stalk(?:s|ing)?|abus(?:es|ing)|insult(?:s|ing)?|shouts? at|yells? at|doxx?(?:es|ing)) (?:me|us|my)\b"
    r"|\bsend(?:s|ing)? (?:me|us) (?:\w+ )?threats",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def trouble(text: str) -> Trouble:
    """The gravest trouble that a message tells of; "distress" where it tells of none of the others."""
    plain = normalize(text)
    if _DANGER.search(plain):
        return "danger"
    if _BEREAVED.search(plain):
        return "bereavement"
    return "harassment" if _HARASSED.search(plain) else "distress"
