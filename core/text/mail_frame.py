"""What frames a message written like a letter: the salutation, who writes, the good wishes, and the closing with the name."""

from __future__ import annotations

import re

from core.text.language import content_words

_NAME = r"[A-Z][\w.'’-]{0,30}(?:[ ][A-Z][\w.'’-]{0,30}){0,3}"
_BEGINNINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\s*(?:dear|to)\s(?:(?:sir|madam|team|support|all|harbor|customer|help|service|desk|or|and|the|sirs|friends?)[\s/]{0,2}){1,5}[,.:!]?\s",
        r"\s*dear\s[^\s,.:!]{1,30}(?:\s[^\s,.:!]{1,30}){0,3}[,:]\s",
        r"\s*(?:i\s)?(?:do\s)?hope\s(?:this|that|you|your|all|everything|everyone)\b[^.,!?\n]{0,60}[.,!]\s",
        r"\s*(?-i:[Mm])y name is (?-i:" + _NAME + r")(?:[.,!]|\s+and\b)\s",
        r"\s*(?:いつも)?(?:大変)?お世話に(?:なって(?:おり|い)ます|なります)[。、！!\s]",
        r"\s*(?:お疲れ(?:さま|様)(?:です|でございます)|突然(?:の|に)?(?:ご連絡|ご質問|お問い合わせ|メール)?(?:にて)?(?:を)?(?:大変)?(?:失礼|すみません)[^。！!\n]{0,15})[。！!\n]",
        r"\s*[一-龥々ァ-ヶー]{1,6}と申します[。！!\n]",
    )
)
_THANKS = r"(?:(?:many|with|a\slot\sof)\s)?(?:thanks|thank\syou|thx)(?:\s(?:very\smuch|so\smuch|a\slot|again|in\sadvance|for\syour\s(?:help|time|support|assistance)|for\sany\shelp))*"
_REGARDS = r"(?:(?:with\s)?(?:kind|best|warm|kindest|warmest)\s(?:regards|wishes)|regards|sincerely|yours(?:\s(?:truly|sincerely|faithfully))?|all\sthe\sbest)"
_SIGNED = r"[\s,.!–-]{0,4}(?-i:(?:" + _NAME + r")?)[\s.!]{0,3}$"
_ENDINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"[\s,]*\b(?:{_THANKS}[\s,.!&–-]{{0,4}}(?:and\s)?)?{_REGARDS}{_SIGNED}",
        rf"[\s,]*\b(?:many\s)?(?:thanks|thank\syou)(?:\s(?:very\smuch|so\smuch))?\sin\sadvance{_SIGNED}",
        r"[、。\s]*(?:以上、?)?(?:(?:お忙しい|お手数)[^。！!？?\n]{0,20}(?:恐れ入り|恐縮|すみません|申し訳)[^。！!？?、\n]{0,10}、?)?(?:何卒|どうか|ご(?:確認|教示|回答|対応|返信)の?(?:ほど)?)?、?(?:どうぞ)?(?:宜しく|よろしく)お(?:願い|ねがい)(?:いた|致)?し(?:ます|たく存じます)[。！!\s]*$",
    )
)


def without_mail_frame(text: str) -> str:
    """The text without salutation, introduction and closing; unchanged if nothing else would remain."""
    rest = text
    for _ in range(2):  # in any order: a name before the good wishes, or after them
        for beginning in _BEGINNINGS:
            if found := beginning.match(rest):
                rest = rest[found.end() :]
    for ending in _ENDINGS:
        if found := ending.search(rest):
            rest = rest[: found.start()]
    return rest if content_words(rest) else text
