"""What a message in distress or in a hurry needs beside facts: a word of sympathy, somebody to turn to at once."""

from __future__ import annotations

import re
from typing import Literal

from core.text.normalize import normalize

Need = Literal["sympathy", "contact"]
_SORROW = re.compile(
    r"(?:亡くな|死去|逝去|他界)|死にたい|消えたい|自殺|もう(?:無理|限界)|耐えられ|(?:パワ|セク|マタ|カス)ハラ|いじめ(?:ら|を受)|怒鳴ら|殴ら|泣(?:いて|きそう)"
    r"|眠れな|鬱|うつ病|流産|余命|がんと(?:診断|言わ)"
    r"|\b(?:passed away|died|dying|death of|funeral|miscarriage|suicid\w*|kill myself|end (?:it all|my life)|can['’]?t (?:go on|take (?:it|this) any)"
    r"|harass\w*|bull(?:y|ied|ying)|assault\w*|diagnosed with|depressed|crying|in tears)\b"
)
_CRISIS = re.compile(r"死にたい|消えたい|自殺|\b(?:suicid\w*|kill myself|end (?:it all|my life))\b")
_SYMPATHY = re.compile(
    r"悔やみ|愁傷|お見舞い|(?:おつら|お辛|つら(?:い|か)|辛(?:い|か))|大変(?:でした|なこと|な思い|なとき)|心配|心中|ご不安|お気持ち|どうか(?:ご)?無理|一人で抱え|話して(?:くだ|いた)"
    r"|\b(?:sorry (?:for|to hear|about|that)|condolence\w*|sympath\w*|so sorry|must be (?:hard|difficult)|that sounds|take care|not alone|glad you (?:told|wrote))\b"
)
_URGENT = re.compile(
    r"盗まれ|盗難|(?:乗っ取|のっと)られ|不正(?:ログイン|アクセス|利用|請求)|(?:なく|失く|無く|落と)した|紛失|ウイルス|感染|漏(?:えい|洩|れ)|詐欺|フィッシング|至急|緊急|事故|けが|怪我|火事|倒れ"
    r"|\b(?:stolen|hacked|compromised|unauthori[sz]ed|phish\w*|scam\w*|malware|virus|leak(?:ed)?|urgent\w*|emergency|asap|accident|injured)\b|\blost my (?:phone|laptop|badge|card|device|key)"
)
_CONTACT = re.compile(
    r"内線|電話|\d{2,4}-\d{2,4}|\b\d{3,4}\b|@|窓口|へ(?:ご)?(?:連絡|相談|報告)|\b(?:call|phone|contact|desk|report (?:it|this) to|write to|hotline|helpline)\b"
)


def is_distressed(message: str) -> bool:
    """Whether the message tells of a death, of despair, of harassment or of an illness."""
    return bool(_SORROW.search(normalize(message)))


def missing_tone(message: str, reply: str) -> Need | None:
    """What a reply to a message in distress or in a hurry lacks; none where nothing is lacking."""
    said, answered = normalize(message), normalize(reply)
    if _SORROW.search(said) and not _SYMPATHY.search(answered):
        return "sympathy"
    if (_CRISIS.search(said) or _URGENT.search(said)) and not _CONTACT.search(answered):
        return "contact"
    return None
