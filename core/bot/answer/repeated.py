"""What the bot says instead of an answer that it has given already, or that did not help: other sections, and whom to
ask."""

from __future__ import annotations

from collections.abc import Sequence

from core.base.types import Contact, Language, Message, Topic
from core.bot.answer.refusal import ANYBODY, whom_to_ask
from core.bot.clarify.choices import section_choices
from core.bot.clarify.questions import quote_list
from core.bot.contacts import general_contact
from core.bot.evidence import has_examples, section_probabilities
from core.retrieval.headings import last_heading
from core.text.citations import without_citations
from core.text.conversation import is_unhelped, rejects_choices
from core.text.language import join_sentences, sentences
from core.text.normalize import normalize

MOST = 3  # sections that are offered
POSSIBLE = 0.03  # probability from which a section is, or if it is of the document of the likeliest one
SHORTEST = 8  # characters of a sentence by which a section is known again
_SAME = {
    "ja": "先ほどと同じご案内になってしまいます。",
    "en": "I would only repeat what I said before.",
}
_WITHIN = {
    "ja": "先ほどのご案内の中では、次のところです。",
    "en": "In what I showed you, this is the part:",
}
_UNHELPED = {
    "ja": "お役に立てず、申し訳ありません。",
    "en": "I am sorry that this did not help.",
}
_NONE = {
    "ja": "どれも違うとのこと、失礼しました。",
    "en": "I am sorry that none of these is what you mean.",
}
_OTHERS = {
    "ja": "ほかに近い話題には{topics}があります。",
    "en": "Other sections that may help are {topics}.",
}
_NOTHING_ELSE = {
    "ja": "ほかには、手元の資料に答えを見つけられませんでした。",
    "en": "I could not find anything else about it in the documents I have.",
}


def was_said(conversation: Sequence[Message], answer: str) -> bool:
    """Whether an earlier reply says the same word for word."""
    return _plain(answer) in {_plain(message.text) for message in conversation if message.role == "assistant"}


def is_no_help(conversation: Sequence[Message]) -> bool:
    """Whether the last message says that the reply before it did not help, or that no choice is meant."""
    return is_unhelped(conversation) or rejects_choices(conversation)


def asks_again(conversation: Sequence[Message]) -> bool:
    """Whether the last message was sent before."""
    *earlier, last = conversation
    return any(message.role == "user" and _plain(message.text) == _plain(last.text) for message in earlier)


def within_answer(language: Language) -> str:
    """What is said before a sentence of an answer that was given already."""
    return _WITHIN[language]


def other_sections(conversation: Sequence[Message], topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings, at most three, of sections that may be meant and that no reply has shown."""
    said = "\n".join(_plain(message.text) for message in conversation if message.role == "assistant")
    chances = section_probabilities(topics) if topics and has_examples(topics) else [1.0] * len(topics)
    ranked = sorted(zip(chances, topics, strict=False), key=lambda pair: -pair[0])
    likely = [
        topic
        for chance, topic in ranked
        if (chance >= POSSIBLE or topic.document == ranked[0][1].document) and not _is_shown(topic, said)
    ]
    return section_choices(likely)[:MOST]


def _is_shown(topic: Topic, said: str) -> bool:
    """Whether a sentence of a section was quoted, or its heading offered."""
    pieces = [last_heading(topic.heading), *(one for line in topic.text.splitlines() for one in sentences(line))]
    return any(piece in said for piece in map(_plain, pieces) if len(piece) >= SHORTEST)


def _plain(text: str) -> str:
    return "".join(normalize(without_citations(text)).split())


def instead_of_repeating(
    conversation: Sequence[Message],
    others: Sequence[str],
    contact: Contact | None,
    contacts: Sequence[Contact],
    language: Language,
) -> str:
    """What is said instead: the other sections that may be meant, and whom to ask."""
    lead = _NONE if rejects_choices(conversation) else _UNHELPED if is_unhelped(conversation) else _SAME
    named = _OTHERS[language].format(topics=quote_list(others, language)) if others else _NOTHING_ELSE[language]
    person = contact or general_contact(contacts)
    whom = whom_to_ask(person, language) if person else ANYBODY[language] if contacts else ""
    return join_sentences(filter(None, (lead[language], named, whom)), language)
