"""Whether somebody asks to telephone the desk, and which section says if that can be done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.types import Language, Passage, Topic
from core.retrieval.headings import last_heading
from core.retrieval.index import Index
from core.text.language import language_of

LOOK = 3  # sections found among which it is
SEARCHED = 6  # sections that are found if a message found none
QUERY: dict[Language, str] = {
    "ja": "電話での問い合わせ 電話の窓口 電話番号",
    "en": "is there a telephone number to call support",
}
_ASKED = re.compile(
    r"(?<!携帯)(?<!固定)お?電話(?:番号|窓口|受付|サポート|対応|相談)?(?:で|に|を|は|が|も|って|の)?(?:直接)?"
    r"(?:話(?:せ|し|が|を)|相談|問い?合わ|お?聞|質問|受け?付|対応|連絡|つな(?:い|が)|繋(?:い|が)|かけ|掛け|したい|して(?:も|いい|よ)|でき|ありま|ある|ない(?:です|の|ん)|教え|知り|何番|使え|くださ|下さ|もらえ|$|[?？]|(?:で)?お願い)"
    r"|架電|折り返し(?:の)?お?電話|電話番号(?:は|って|を教|が知)"
    r"|\b(?:can|could|may|should|do|how do|where do|which number (?:can|do)) (?:i|we) (?:\w+ ){0,2}(?:phone|call|ring|telephone)\b(?! (?:it|this|that|the (?:board|plan|file)|off|back a)\b)"
    r"|\b(?:phone|telephone|call|ring) (?:you|support|someone|somebody|anyone|anybody|a (?:person|human)|customer (?:service|support))\b"
    r"|\b(?:support|help|phone|telephone|contact|customer service)(?: phone| telephone)? (?:number|line|hotline)\b|\bhot ?line\b|\b(?:phone|telephone) support\b"
    r"|\bnumber (?:that )?(?:i|we) (?:can|could|should|may) (?:call|ring|phone|dial)\b|\bnumber to (?:call|ring|phone|dial)\b"
    r"|\b(?:on|over|by|via) the (?:phone|telephone)\b|\bby (?:phone|telephone)\b|\b(?:give|call) (?:you|me|us)(?: a)? (?:call|ring|back)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"電話番号(?:を|の)(?:変|登録|追加|削除|更新|修正|確認コード)|(?:登録|自分|私|新しい|古い)(?:した|の|て(?:い)?る)?電話番号|電話(?:会議|帳)|電話が(?:鳴|壊|来|かかって)"
    r"|\b(?:my|our|his|her|their|a new|an old|the old|the new|another|wrong) (?:\w+ )?(?:phone|telephone)\b"
    r"|\b(?:change|update|add|remove|verify|register|enter) (?:a |the )?(?:phone|telephone) number\b|\bcall (?:the )?api\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"電話(?:で)?(?:を|に)?(?:直接)?(?:話したい|話し?たく|相談したい|かけたい|掛けたい|したい|お願い|つないで|繋いで|ください|下さい|もらえ|できますか|して(?:も|いい))"
    r"|\b(?:phone|call|ring|telephone) (?:you|someone|somebody|a (?:person|human)|me)\b|\bon the phone\b|\bover the phone\b",
    re.IGNORECASE,
)
_HEADED = re.compile(r"電話|\b(?:tele)?phone\b|\bcall(?:ing)? (?:us|support|back)\b|\bhotline\b", re.IGNORECASE)
_OF_DESK = re.compile(
    r"窓口|問い?合わ|受付|受け付|サポート|相談|内線|担当"
    r"|\b(?:support|customers?|desk|helped|help ?line|call back|book a call|reach us|opening hours)\b",
    re.IGNORECASE,
)


def asks_to_telephone(text: str) -> bool:
    """Whether a message asks to telephone the desk; not if it is about the person's own telephone."""
    return bool(_ASKED.search(text)) and not _OWN.search(text)


def wishes_call(text: str) -> bool:
    """Whether a message asks for a talk on the telephone, not for a number or the hours."""
    return asks_to_telephone(text) and bool(_WISH.search(text))


def telephone_section(sections: Sequence[Passage | Topic]) -> int | None:
    """The place of the section, best first, that is headed by the telephone and speaks of the desk; none if no section
    does."""
    places = (
        place
        for place, section in enumerate(sections[:LOOK])
        if _HEADED.search(last_heading(section.heading)) and _OF_DESK.search(section.text)
    )
    return next(places, None)


def with_telephone(index: Index, text: str, found: tuple[Topic, ...]) -> tuple[Topic, ...]:
    """The sections found for a message; those about telephoning the desk if it asks for that and one says whether it
    can be done."""
    if not asks_to_telephone(text):
        return found
    language = language_of(index.passages[0].text if index.passages else "", "en")
    calls = index.topics(QUERY[language], len(found) or SEARCHED)
    return found if telephone_section(calls) is None else calls
