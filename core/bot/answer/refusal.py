"""What the bot says if it cannot answer: honestly, with the nearest topics to choose from and whom to ask."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Contact, Language, Topic
from core.bot.clarify.questions import quote_list, section_choices
from core.bot.evidence import has_examples, sections_above

MOST = 3  # topics that are named
CLOSE, BEST = (
    0.5,
    0.75,
)  # score of a topic beside that of the best, which is 1: to be named at all, to be of help in trouble
STRONG, SHARED, STANDING = 3.0, 0.1, 4.0  # strength with that share of the message's words, and without any
LIKELY = 0.1  # probability of a section from which it is offered, if there are example questions: of ten right ones nine have it
MEANT = 0.3  # cosine from which a topic is near, where there are vectors
ABOUT = 0.3  # share of the words searched for that title and heading have
SORRY = {
    "ja": "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。",
    "en": "I am sorry, I don't know. I could not find this in the documents I have.",
}
_OFFER = {
    "ja": "{topics}のことでしょうか。選んでいただければ、すぐにご案内します。違うときは、お尋ねへの答えを手元の資料に見つけられませんでした。",
    "en": "Is it about {topics}? If so, just pick it, and I will show you. If not, I could not find an answer in the documents I have.",
}
_NEAREST = {  # after the bot's own words for "not in the documents"
    "ja": "近い話題の{topics}の中に、お知りになりたいことがあれば選んでください。",
    "en": "If one of the nearest topics is what you mean, just pick it: {topics}.",
}
_DECLINED = {
    "ja": "申し訳ありません。このご質問にはお答えできません。",
    "en": "I am sorry, I cannot answer this.",
}
_CONTACT = {
    "ja": "くわしくは{name}（{reach}）へお問い合わせください。",
    "en": "Please contact {name}: {reach}.",
}
_ANYBODY = {
    "ja": "人に聞きたいときは、「担当者と話したい」とお書きいただければ、お問い合わせ先をご案内します。",
    "en": 'You can ask a person instead: write "I want to talk to a person", and I will help you find the right one.',
}


def nearest_topics(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings, at most three, of the sections that may be what somebody means; none where nothing is near."""
    if has_examples(topics):
        return section_choices(sections_above(topics, LIKELY))[:MOST]
    near = [topic for topic in topics if topic.score >= CLOSE and _is_near(topic)]
    return section_choices(near)[:MOST]


def _is_near(topic: Topic) -> bool:
    if topic.vector is not None:
        return topic.vector >= MEANT
    return topic.strength >= (STRONG if topic.coverage >= SHARED else STANDING)


def helpful_topics(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings, at most three, of the sections that are about what was searched for; none where none is."""
    about = [topic for topic in topics if topic.heading_coverage >= ABOUT and topic.score >= BEST]
    return section_choices(about)[:MOST]


def refuse(
    nearest: Sequence[str], contact: Contact | None, language: Language, refusal: str = "", contacts: bool = False
) -> str:
    """ "Not in the documents" (in the bot's own words: `refusal`), with the nearest topics and whom to ask; cites nothing.

    contacts: whether the bot knows any, although none is surely the right one.
    """
    parts = [refusal or SORRY[language]]
    if nearest:
        offer = (_NEAREST if refusal else _OFFER)[language].format(topics=quote_list(nearest, language))
        parts = [refusal, offer] if refusal else [offer]
    if contact:
        parts.append(whom_to_ask(contact, language))
    elif contacts:
        parts.append(_ANYBODY[language])
    return ("" if language == "ja" else " ").join(parts)


def decline(contact: Contact | None, language: Language) -> str:
    """What the bot says where its model, or a filter before it, will not reply; cites nothing."""
    parts = [_DECLINED[language], *([whom_to_ask(contact, language)] if contact else [])]
    return ("" if language == "ja" else " ").join(parts)


def whom_to_ask(contact: Contact, language: Language) -> str:
    """One sentence that names a contact."""
    return _CONTACT[language].format(name=contact.name, reach=contact.reach)
