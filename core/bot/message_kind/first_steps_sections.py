"""Sections that come first in an emergency, after a death, or after harassment: first steps, and how to find them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from core.base.toml import bundled_toml
from core.base.types import Language, Section, SectionHit
from core.bot.other_language import searchable
from core.bot.section_probability import ranked_sections, sections_above
from core.documents.heading_names import last_heading
from core.retrieval.index import Index
from core.text.distress.distress import distress_of
from core.text.distress.emergencies import DEVICE_EN, Emergency
from core.text.language import content_words, language_of, sentences
from core.text.message_questions import asks_several
from core.text.normalize import MAX_CLASSIFIED_CHARACTERS, normalize
from core.text.questions import asks, wants
from core.text.synonyms import words_with_synonyms

FirstStepsTopic = Emergency | Literal["harassment", "bereavement"]
# Probability of a section from which it comes first if it says what to do after a death.
BEREAVEMENT_SECTION_FROM = 0.2
# Share of the likeliest section's probability that it then needs, too.
BEREAVEMENT_SHARE = 0.5
# The same if its heading is about harassment.
HARASSMENT_SECTION_FROM = 0.3
# The same if its heading is about an intrusion.
INTRUSION_SECTION_FROM = 0.05
# Sections among which first steps are looked for.
SEARCHED_SECTIONS = 16
# First sections found, one of which must fit a harassed user who asks for something other than help.
NEAR_SECTIONS = 3
_SEEKS_HELP = re.compile(
    r"どうす|どうした|助け|消し|消せ|削除|止め|やめさせ|非公開|通報|相談|対処|取り下げ"
    r"|\b(?:remov\w*|delet\w*|tak(?:e|en|ing) \w{0,5} ?(?:down|off)|stop\w*|get rid|report\w*|help|block\w*|what (?:can|should|do|shall) (?:i|we) do)\b",
    re.IGNORECASE,
)
_TO_DO = re.compile(r"手続|届|申請|連絡|\bhow to\b|\breport", re.IGNORECASE)
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
_DEVICES = (  # kinds of devices: first steps for one do not fit another
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


def rank_up_first_steps(index: Index, text: str, found: tuple[SectionHit, ...]) -> tuple[SectionHit, ...]:
    """The sections found for a message; in an emergency, those whose headings are about it come first, best first.

    After harassment, if something other than help is asked for, only if one of them is among the first found.
    """
    kind = _first_steps_topic(text)
    if kind is None:
        return found
    if kind == "bereavement":  # sections that say what to do come before other information
        to_do = [
            one
            for one in sections_above(found, BEREAVEMENT_SECTION_FROM, BEREAVEMENT_SHARE)
            if _fits(kind, text, one) and _TO_DO.search(one.heading)
        ]
        return (*to_do, *(one for one in found if one not in to_do))
    asks_else = kind == "harassment" and asks(text) and not _SEEKS_HELP.search(text)
    if asks_else and not any(_fits(kind, text, one) for one in found[:NEAR_SECTIONS]):
        return found
    language = language_of(index.passages[0].text if index.passages else "", "en")
    telling = next((part for part in sentences(text) if _first_steps_topic(part) == kind), text)
    query, said = first_steps_query(kind, language), searchable(telling, index)
    sections = index.sections(f"{query} {said}", max(SEARCHED_SECTIONS, len(found)))
    first = [hit for hit in sections[:SEARCHED_SECTIONS] if _fits(kind, text, hit)]
    if kind == "lost_device":  # a heading that names the thing comes before others
        own = words_with_synonyms(said) - set(content_words(query))
        first.sort(key=lambda hit: (-len(own.intersection(content_words(hit.heading))), -hit.heading_coverage))
        # Without such a heading: sections that name the thing and speak of a loss
        first = first or [
            one for one in sections[:SEARCHED_SECTIONS] if one.coverage and _HEADED[kind].search(one.text)
        ]
    if kind in ("harassment", "intrusion"):
        # the message's own words find more than the fixed query
        near = index.sections(searchable(telling, index), len(found)) if telling != text.strip() else ()
        likely = sorted((*ranked_sections(found), *ranked_sections(near)), key=lambda pair: -pair[0])
        least = INTRUSION_SECTION_FROM if kind == "intrusion" else HARASSMENT_SECTION_FROM
        first = [*(hit for chance, hit in likely if chance >= least and _fits(kind, text, hit)), *first]
    best: dict[Section, SectionHit] = {}
    for hit in (*first, *found):
        best.setdefault(hit.section, hit)
    return tuple(best.values())[: len(found)]


def _first_steps_topic(text: str) -> FirstStepsTopic | None:
    """What the section with the first steps is about; None for a danger to life, where there is no time to read."""
    distress = distress_of(text)
    if distress.emergency is not None:
        return None if distress.is_life_threatening else distress.emergency
    return distress.trouble if distress.trouble in ("harassment", "bereavement") else None


def _fits(kind: FirstStepsTopic, text: str, hit: SectionHit) -> bool:
    """Whether a section's heading is about what has happened, and not about another device or about customers."""
    heading = last_heading(hit.heading)
    others = {"lost_device": names_other_device, "harassment": names_customers}.get(kind)
    return is_headed_by(kind, heading) and not (others and others(text, heading))


def first_steps_heading(text: str, sections: Sequence[SectionHit]) -> str:
    """The heading of the section with the first steps for the emergency, harassment or bereavement that a message
    reports; "" without one, and if the message asks several things, each of which gets an answer.
    """
    kind = _first_steps_topic(text)
    if kind is None or not sections or asks_several(text):
        return ""
    if kind == "bereavement" and (asks(text) or not wants(text)):
        return ""  # a question gets its own answer, and a mere report no steps to take
    return last_heading(sections[0].heading) if _fits(kind, text, sections[0]) else ""


def first_steps_query(hit: FirstStepsTopic, language: Language) -> str:
    """What to search for, besides the message's own words, to find the section with the first steps."""
    return bundled_toml(__file__, "replies.toml")["first_steps"][hit][language]


def is_headed_by(hit: FirstStepsTopic, heading: str) -> bool:
    """Whether a section's heading is about this topic."""
    return hit in _HEADED and bool(_HEADED[hit].search(heading))


def speaks_of_death(heading: str) -> bool:
    """Whether a section's heading is about a death or meant for bereaved users."""
    return is_headed_by("bereavement", heading) or bool(_OF_DEATH.search(heading))


def names_other_device(text: str, heading: str) -> bool:
    """Whether a heading names a device (a telephone, a computer, a card) and a message only devices of other kinds."""
    wanted, named = _devices(text), _devices(heading)
    return bool(wanted) and bool(named) and not wanted & named


def _devices(text: str) -> frozenset[int]:
    """The kinds of devices that a text names, as places in `_DEVICES`."""
    plain = normalize(text[:MAX_CLASSIFIED_CHARACTERS])
    return frozenset(place for place, device in enumerate(_DEVICES) if device.search(plain))


def names_customers(text: str, heading: str) -> bool:
    """Whether a heading is about customers and a message is not."""
    return bool(_CUSTOMERS.search(heading)) and not _CUSTOMERS.search(text)
