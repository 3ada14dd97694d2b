"""Saying honestly that the documents do not hold an answer."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Contact, Hit, Language

_SORRY = {
    "ja": "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。",
    "en": "I am sorry, I don't know. I could not find this in the documents I have.",
}
_DECLINED = {
    "ja": "申し訳ありません。このご質問にはお答えできません。",
    "en": "I am sorry, I cannot answer this.",
}
_NEAREST = {"ja": "近い話題としては{topics}があります。", "en": "The nearest topics are {topics}."}
_CONTACT = {
    "ja": "くわしくは{name}（{reach}）へお問い合わせください。",
    "en": "Please contact {name}: {reach}.",
}


def refuse(hits: Sequence[Hit], contact: Contact | None, language: Language) -> str:
    """ "Not in the documents", with the nearest topics and whom to ask; cites nothing."""
    parts = [_SORRY[language]]
    nearest = list(dict.fromkeys(hit.passage.heading.split(" › ")[-1] for hit in hits))[:3]
    if nearest:
        quoted = (
            "、".join(f"「{name}」" for name in nearest) if language == "ja" else ", ".join(f'"{n}"' for n in nearest)
        )
        parts.append(_NEAREST[language].format(topics=quoted))
    if contact:
        parts.append(whom_to_ask(contact, language))
    return ("" if language == "ja" else " ").join(parts)


def decline(contact: Contact | None, language: Language) -> str:
    """What the bot says where its model, or a filter before it, will not reply; cites nothing."""
    parts = [_DECLINED[language], *([whom_to_ask(contact, language)] if contact else [])]
    return ("" if language == "ja" else " ").join(parts)


def whom_to_ask(contact: Contact, language: Language) -> str:
    """One sentence that names a contact."""
    return _CONTACT[language].format(name=contact.name, reach=contact.reach)
