"""Headings of sections with first steps: what they are about, and whose device or card."""

from __future__ import annotations

import re
from typing import Literal

from core.text.distress.emergencies import DEVICE_EN, Emergency
from core.text.normalize import LONGEST_MESSAGE, normalize

FirstStepsTopic = Emergency | Literal["harassment", "bereavement"]
_HEADED: dict[FirstStepsTopic, re.Pattern[str]] = {
    "intrusion": re.compile(
        r"不正(?:な)?(?:ログイン|アクセス|サインイン)|乗っ取|身に覚え|新しい端末|知らない(?:端末|人)|\bhack|unauthori[sz]ed (?:sign|log|access)|hijack|compromised|taken over"
        r"|\b(?:someone|somebody)(?: else)? (?:uses|used|changed|signed|logged)|did not make|unknown device|suspicious (?:sign|log|activit)",
        re.IGNORECASE,
    ),
    "phished": re.compile(
        r"偽の?(?:サイト|ページ|メール)|フィッシング|不審な|ウイルス|マルウェア|\bfalse (?:page|site)|\bfake\b|phish|suspicious|virus|malware",
        re.IGNORECASE,
    ),
    "misdirected": re.compile(
        r"誤送信|誤って(?:送|公開|共有)|漏えい|漏洩|\bwrong (?:person|address|recipient)|\b(?:data )?(?:breach|leak)",
        re.IGNORECASE,
    ),
    "lost_device": re.compile(
        rf"(?:紛失|盗難|なくし|無くし|盗まれ)(?!した.{{0,30}}(?:再発行|再貸与|報告書))(?<!領収書を紛失)|\b(?:lost|stolen|theft|missing)\b.{{0,40}}\b{DEVICE_EN}\b|\b{DEVICE_EN}\b.{{0,40}}\b(?:lost|stolen|missing)\b",
        re.IGNORECASE,
    ),
    "bereavement": re.compile(
        r"亡くな|故人|逝去|死亡(?:した|時)|\bdeath of\b|\bdeceased\b|\b(?:has|have) died\b|\bafter a death\b",
        re.IGNORECASE,
    ),
    "harassment": re.compile(
        r"(?:ハラスメント|いじめ|嫌がらせ)の?相談窓口|(?:迷惑|不適切)[^。]{0,16}(?:通報|への対応)|個人情報が(?:公開|掲載|載)|なりすまし|つきまと|悪口|中傷"
        r"|\breport(?:ing)? (?:abuse|(?:an? |the )?(?:\w+ )?(?:board|portal|page|person|profile|user|member|guest|comment|post|message)s?\b)|\bharass|\bbully|\babusive|impersonat|\bunwanted|\bpersonal (?:data|information) (?:is|was) (?:public|published|posted)",
        re.IGNORECASE,
    ),
}
_OF_DEATH = re.compile(r"忌引|葬|弔|遺族|相続|死亡|\bbereave|\bdeath|\bdied\b|\bfuneral|\bcompassionate", re.IGNORECASE)
_CUSTOMERS = re.compile(r"客|取引先|カスハラ|customer|client", re.IGNORECASE)
_DEVICES = (  # kinds of things: first steps for one do not fit another
    re.compile(
        r"スマホ|スマフォ|スマートフォン|携帯|ケータイ|iphone|アイフォン|android|(?<!tele)phone|\bmobile|handset",
        re.IGNORECASE,
    ),
    re.compile(
        r"パソコン|ノーパソ|(?<![a-z])pc(?![a-z])|タブレット|ipad|アイパッド|macbook|laptop|computer|chromebook|tablet",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![ァ-ヶー])カード|(?:法人|クレジット)カード|社員証|入館|badge|\bcard\b", re.IGNORECASE),
)


def is_headed_by(topic: FirstStepsTopic, heading: str) -> bool:
    """Whether a section's heading says that it is about this."""
    return topic in _HEADED and bool(_HEADED[topic].search(heading))


def speaks_of_death(heading: str) -> bool:
    """Whether a section's heading says that it is for somebody who mourns, whatever it tells them."""
    return is_headed_by("bereavement", heading) or bool(_OF_DEATH.search(heading))


def names_other_device(text: str, heading: str) -> bool:
    """Whether a heading names a thing to lose (a telephone, a computer, a card) and a message only things of other
    kinds."""
    wanted, named = _devices(text), _devices(heading)
    return bool(wanted) and bool(named) and not wanted & named


def _devices(text: str) -> frozenset[int]:
    """Which kinds of things a text names."""
    plain = normalize(text[:LONGEST_MESSAGE])
    return frozenset(place for place, device in enumerate(_DEVICES) if device.search(plain))


def names_customers(text: str, heading: str) -> bool:
    """Whether a heading is about customers and a message is not."""
    return bool(_CUSTOMERS.search(heading)) and not _CUSTOMERS.search(text)
