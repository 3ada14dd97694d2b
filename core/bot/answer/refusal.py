"""What the bot says if it cannot answer: honestly, with the nearest topics to choose from and whom to ask."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Contact, Language, Topic
from core.bot.clarify.choices import section_choices
from core.bot.clarify.questions import quote_list
from core.bot.evidence import has_examples, sections_above

MOST = 3  # topics that are named
CLOSE, BEST = (
    0.5,
    0.75,
)  # score of a topic beside that of the best, which is 1: to be named at all, to be of help in trouble
STRONG, SHARED, STANDING = 3.0, 0.1, 4.0  # strength with that share of the message's words, and without any
LIKELY = 0.1  # probability of a section from which it is offered, if there are example questions: of ten right ones nine have it
NEAR = 0.25  # and from which its subject is near, although the documents hardly speak of the matter
MEANT = 0.3  # cosine from which a topic is near, if there are vectors
DOCUMENTED = 0.3  # probability that the documents speak of a matter from which likely sections are offered, if there are example questions
BARELY = 0.2  # and from which sections are whose subject is near
MAYBE = 0.4  # and from which a section may well be what is meant, if its own probability is
LIKELIEST = 0.3  # or more: of ten such offers for messages without an answer six are right
ABOUT = 0.3  # share of the words searched for that title and heading have
SORRY = {
    "ja": "申し訳ありません、わかりません。お尋ねの内容は、手元の資料には見当たりませんでした。",
    "en": "I am sorry, I don't know. I could not find this in the documents I have.",
}
_OFFER = {  # the matter may be one of the topics
    "ja": "{topics}のことでしょうか。お選びいただければ、すぐにご案内します。ほかのことでしたら、手元の資料では確認できませんでした。",
    "en": "Is it about {topics}? If so, just pick it, and I will show you. If not, I could not find it in the documents I have.",
}
_NOT_FOUND = {  # the matter is hardly one of the topics
    "ja": "申し訳ありません。お尋ねへの確かな答えは、手元の資料に見つけられませんでした。",
    "en": "I am sorry, I could not find a sure answer to this in the documents I have.",
}
_NEAREST = {  # after words for "not in the documents"
    "ja": "近い話題には{topics}があります。お役に立ちそうでしたら、お選びください。",
    "en": "The nearest I have is {topics}. If that helps, just pick it.",
}
_NO_PRODUCT = {
    "ja": "手元の資料には「{name}」についての記載がありません。",
    "en": "The documents I have say nothing about {name}.",
}
_DECLINED = {
    "ja": "申し訳ありません。このご質問にはお答えできません。",
    "en": "I am sorry, I cannot answer this.",
}
_CONTACT = {
    "ja": "くわしくは{name}（{reach}）へお問い合わせください。",
    "en": "Please contact {name}: {reach}.",
}
ANYBODY = {
    "ja": "人に聞きたいときは、「担当者と話したい」とお書きいただければ、お問い合わせ先をご案内します。",
    "en": 'You can ask a person instead: write "I want to talk to a person", and I will help you find the right one.',
}


def nearest_topics(topics: Sequence[Topic], documented: float) -> tuple[str, ...]:
    """The headings, at most three, of the sections that may be what somebody means; none if nothing is near.

    documented: probability (0 to 1) that the documents speak of the matter.
    """
    if has_examples(topics):
        least = LIKELY if documented >= DOCUMENTED else NEAR
        return section_choices(sections_above(topics, least))[:MOST] if documented >= BARELY else ()
    near = [topic for topic in topics if topic.score >= CLOSE and _is_near(topic)]
    return section_choices(near)[:MOST]


def is_likely_meant(topics: Sequence[Topic], documented: float) -> bool:
    """Whether one of the nearest sections may well be what somebody means, rather than only near it.

    documented: probability (0 to 1) that the documents speak of the matter.
    """
    sure = not has_examples(topics) or bool(sections_above(topics, LIKELIEST))
    return documented >= MAYBE and sure


def _is_near(topic: Topic) -> bool:
    if topic.vector is not None:
        return topic.vector >= MEANT
    return topic.strength >= (STRONG if topic.coverage >= SHARED else STANDING)


def helpful_topics(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings, at most three, of the sections that are about what was searched for; none if none is."""
    about = [topic for topic in topics if topic.heading_coverage >= ABOUT and topic.score >= BEST]
    return section_choices(about)[:MOST]


def refuse(
    nearest: Sequence[str],
    contact: Contact | None,
    language: Language,
    refusal: str = "",
    contacts: bool = False,
    likely: bool = True,
) -> str:
    """ "Not in the documents" (in the bot's own words: `refusal`), with the nearest topics and whom to ask; cites nothing.

    contacts: whether the bot knows any, although none is surely the right one; likely: whether the matter may well be one
    of the nearest topics.
    """
    parts = [refusal or SORRY[language]]
    if nearest:
        direct = likely and not refusal
        offer = (_OFFER if direct else _NEAREST)[language].format(topics=quote_list(nearest, language))
        parts = [offer] if direct else [refusal or _NOT_FOUND[language], offer]
    if contact:
        parts.append(whom_to_ask(contact, language))
    elif contacts:
        parts.append(ANYBODY[language])
    return ("" if language == "ja" else " ").join(parts)


def no_such_product(name: str, language: Language) -> str:
    """That the documents say nothing about a product of another company."""
    return _NO_PRODUCT[language].format(name=name)


def decline(contact: Contact | None, language: Language) -> str:
    """What the bot says where its model, or a filter before it, will not reply; cites nothing."""
    parts = [_DECLINED[language], *([whom_to_ask(contact, language)] if contact else [])]
    return ("" if language == "ja" else " ").join(parts)


def whom_to_ask(contact: Contact, language: Language) -> str:
    """One sentence that names a contact."""
    return _CONTACT[language].format(name=contact.name, reach=contact.reach)
