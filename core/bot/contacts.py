"""Chooses the contact to name: the one for the matter that was asked about, else the general one or None."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.base.types import Contact, Message, Passage, SectionHit
from core.retrieval.word_vectors import word_vector
from core.text.conversation import open_messages, user_texts
from core.text.distress.distress import Trouble
from core.text.language import content_words, script
from core.text.normalize import normalize
from core.text.offered_choices import picked_choices
from core.text.synonyms import load_synonyms

# Score from which the best contact fits.
FITTING_SCORE_FROM = 0.5
# How many times the score of the next contact it needs.
AHEAD_FACTOR = 1.25
# Score from which being better than the next is enough.
CLEAR_SCORE_FROM = 1.0
# How often a document names its own contact.
MIN_NAMINGS = 2
# Likeliest sections that vote for a contact.
VOTING_SECTIONS = 5
# Factor of the log likelihood of a section in its vote.
VOTE_SHARPNESS = 2.0
# Share of the votes from which the sections agree.
AGREEMENT_SHARE = 0.5
# Contacts to choose from.
MAX_CONTACTS = 5
# Contacts to choose from for an impatient user.
MAX_CONTACTS_OF_IMPATIENT = 3
# Sections that may name a contact.
READ_SECTIONS = 4
# Share of the message's words from which a section counts.
TOUCHED_COVERAGE = 0.2
# Weight of a section that names the contact, relative to the message.
NAMING_WEIGHT = 0.8
# Weight of a section headed by the contact's field, relative to the message.
HEADING_WEIGHT = 0.5
# Characters of a word without the ending that may differ (charged, charges).
MIN_STEM_CHARACTERS = 4
# Characters of an ending that may differ.
MAX_ENDING_CHARACTERS = 2
# Cosine of two words from which they are similar.
SIMILAR_FROM = 0.55
# Weight of a similar word or a synonym, relative to a word of the field itself.
SIMILAR_WEIGHT = 0.6
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w.-]++|(?<!\d)\d{3,}+")
_URGENT = re.compile(
    r"24\s*時間|夜間|緊急|セキュリティ|24/7|day and night|around the clock|security|emergenc", re.IGNORECASE
)
_CARING = re.compile(
    r"ハラ|相談|嫌がらせ|健康|産業医|労務|人事|いじめ|迷惑|通報|harass|abuse|people|well-?being|care", re.IGNORECASE
)
_COUNSEL = re.compile(r"相談|労務|人事|people|well-?being|human resources", re.IGNORECASE)
_COMPLAINTS = re.compile(r"苦情|クレーム|お客様相談|オンブズ|complaint|ombuds", re.IGNORECASE)
_HEALTH = re.compile(
    r"健康|産業医|保健師|メンタル|ストレス|カウンセ|心の|well-?being|mental|counsel\w*|health", re.IGNORECASE
)


class _Naming(NamedTuple):
    """What a section says about contacts."""

    contacts: list[Contact]  # that it names
    heading: str
    words: set[str]  # of the heading
    weight: float


def find_contact(
    contacts: Sequence[Contact], conversation: Sequence[Message], sections: Sequence[SectionHit], named: bool = False
) -> Contact | None:
    """The contact whose field the conversation is surely about, else the general one, else None.

    The field shows in the user's words and in the sections found (`sections`, best first), which may name the contact;
    named: only in words of the field itself.
    """
    return fitting_contact(contacts, conversation, () if named else sections, named) or general_contact(contacts)


def contacts_of_documents(contacts: Sequence[Contact], passages: Sequence[Passage]) -> Mapping[str, Contact]:
    """The contact that each document names most often, and more than once, by document."""
    texts: defaultdict[str, str] = defaultdict(str)
    for passage in passages:
        texts[passage.document] += normalize(f"{passage.heading}\n{passage.text}\n")
    found: dict[str, Contact] = {}
    for document, text in texts.items():
        times = [sum(map(text.count, _names(one.name, one.reach))) for one in contacts]
        most = max(times, default=0)
        if most >= MIN_NAMINGS and times.count(most) == 1:
            found[document] = contacts[times.index(most)]
    return found


def contact_of_sections(sections: Sequence[SectionHit], of_documents: Mapping[str, Contact]) -> Contact | None:
    """The contact of the documents that a message without an answer most likely belongs to; None if they do not agree.

    Of 660 such example questions whose documents are known, 64% get the contact of their document (38% by the words of
    its field). `sections`: with likelihoods.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    likeliest = sorted(sections, key=lambda hit: -hit.likelihood)[:VOTING_SECTIONS]
    for hit in likeliest:
        votes[of_documents[hit.document].name if hit.document in of_documents else ""] += math.exp(
            VOTE_SHARPNESS * hit.likelihood
        )
    name, most = max(votes.items(), key=lambda pair: pair[1], default=("", 0.0))
    agreed = name and most >= AGREEMENT_SHARE * math.fsum(votes.values())
    return next((one for one in of_documents.values() if agreed and one.name == name), None)


def fitting_contact(
    contacts: Sequence[Contact], conversation: Sequence[Message], sections: Sequence[SectionHit], named: bool
) -> Contact | None:
    """The contact whose field the conversation is surely about, or None."""
    values = contact_scores(contacts, conversation, sections, named)
    best, second = [*sorted(values, reverse=True), 0.0, 0.0][:2]
    if best < FITTING_SCORE_FROM or best == second or best < min(AHEAD_FACTOR * second, max(CLEAR_SCORE_FROM, second)):
        return None
    return contacts[values.index(best)]


def general_contact(contacts: Sequence[Contact]) -> Contact | None:
    """The contact for everything else: marked as such, without a field of its own, or the only one."""
    if len(contacts) == 1:
        return contacts[0]
    return next((one for one in contacts if one.general or not one.topics), None)


def urgent_contact(contacts: Sequence[Contact], fitting: Contact | None) -> Contact | None:
    """The contact for an emergency: the fitting one if it answers day and night, else one that does, else that."""
    if fitting and _URGENT.search(_about(fitting)):
        return fitting
    return _best(contacts, _URGENT) or fitting


def caring_contact(contacts: Sequence[Contact], fitting: Contact | None, trouble: Trouble | None) -> Contact | None:
    """The contact for a user in trouble: for health, else the fitting one; after harassment or another person's danger
    the one for that.

    For a user in danger: a health or counselling contact, else None, since others would be no help.
    """
    patterns = {"harassment": (_CARING,), "announced": (_HEALTH, _CARING), "danger": (_HEALTH, _COUNSEL)}
    wanted = (_best(contacts, pattern) for pattern in patterns.get(trouble or "", (_HEALTH,)))
    if caring := next(filter(None, wanted), None):
        return caring
    return None if trouble == "danger" else fitting


def complaints_contact(contacts: Sequence[Contact], fitting: Contact | None) -> Contact | None:
    """The contact for a user who was left without a reply: one for complaints, else the fitting one."""
    return _best(contacts, _COMPLAINTS) or fitting


def _best(contacts: Sequence[Contact], pattern: re.Pattern[str]) -> Contact | None:
    """The first contact whose description has most matches of a pattern; None if none has any."""
    found = [len(pattern.findall(_about(one))) for one in contacts]
    return contacts[found.index(max(found))] if any(found) else None


def contact_named_in(texts: Sequence[str], contacts: Sequence[Contact]) -> Contact | None:
    """The only contact that texts name, by its name or an address; None if they name none or several."""
    found = [one for one in contacts if any(_is_named(normalize(text), one) for text in texts)]
    return found[0] if len(found) == 1 else None


def picked_contact(contacts: Sequence[Contact], conversation: Sequence[Message]) -> Contact | None:
    """The contact that the last message picks by name from the bot's choices."""
    before = conversation[-2] if len(conversation) > 1 else None
    if before is None or before.role != "assistant" or not before.choices:
        return None
    picked = picked_choices(before.choices, conversation[-1].text)
    return next((contact for contact in contacts if picked == (contact.name,)), None)


def contacts_to_choose(
    contacts: Sequence[Contact], conversation: Sequence[Message], few: bool = False
) -> tuple[Contact, ...]:
    """The contacts from which a user who wants a human agent can choose, the fitting ones first.

    At most five, the general one last; few: at most three: those that fit, the one for complaints and the general one,
    or five if there are none of these.
    """
    values = contact_scores(contacts, conversation, (), named=True)
    scored = sorted(zip(contacts, values, strict=True), key=lambda pair: -pair[1])
    general = tuple(filter(None, [general_contact(contacts)]))
    some = tuple(
        dict.fromkeys([*[one for one, _ in scored if one not in general][: MAX_CONTACTS - len(general)], *general])
    )
    if not few:
        return some
    fitting = [one for one, value in scored if value > 0]
    complaints = [one for one in contacts if _COMPLAINTS.search(_about(one))]
    return tuple(dict.fromkeys([*fitting, *complaints, *general]))[:MAX_CONTACTS_OF_IMPATIENT] or some


def contact_scores(
    contacts: Sequence[Contact], conversation: Sequence[Message], sections: Sequence[SectionHit], named: bool
) -> list[float]:
    """The score of each contact: 1 for each word of its field that was said, less for what the sections say."""
    texts = user_texts(open_messages(conversation))
    fields = [_field(contact) for contact in contacts]
    shared = Counter(topic for field in fields for topic in field)
    naming = [_naming(hit, contacts) for hit in sections[:READ_SECTIONS] if hit.coverage >= TOUCHED_COVERAGE]
    of_sections = [_of_sections(contact, field, naming) for contact, field in zip(contacts, fields, strict=True)]
    of_words = [
        _words_score(field, texts, shared, named, two > 0) for field, two in zip(fields, of_sections, strict=True)
    ]
    return [one + two for one, two in zip(of_words, of_sections, strict=True)]


def _field(contact: Contact) -> tuple[str, ...]:
    """The words of a contact's field and its name; empty for a general contact without a field."""
    return (*contact.topics, contact.name) if contact.topics or not contact.general else ()


def _about(contact: Contact) -> str:
    return f"{contact.name} {contact.reach} {' '.join(contact.topics)}"


def _words_score(
    field: Sequence[str], texts: Sequence[str], shared: Mapping[str, int], named: bool, backed: bool
) -> float:
    """The score of a field by the user's words; a word that several contacts share counts less.

    Words that are only similar to the field's, or only a part of one of its terms, count if a section found supports them.
    """
    plain = normalize(" ".join(texts))
    words = {word for text in texts for word in content_words(text)}
    if not backed:
        field = [topic for topic in field if _is_said(topic, set(content_words(topic)), plain, words)]
    meant = {
        one
        for phrases in load_synonyms(script(plain)).synonyms_for(sorted(words)).values()
        for phrase in phrases
        for one in phrase
    }
    values = sorted((_match(topic, plain, words, meant, named) / shared[topic] for topic in field), reverse=True)
    return math.fsum(value / (1 + place) for place, value in enumerate(values))


def _match(topic: str, plain: str, words: set[str], meant: set[str], named: bool = False) -> float:
    """1 if a topic was said, its share of words if a part was, less if something similar was."""
    own = set(content_words(topic))
    if _is_said(topic, own, plain, words):
        return 1.0
    if not own or named:
        return 0.0
    said = len(own & words) + SIMILAR_WEIGHT * len((own & meant) - words)
    return max(said / len(own), SIMILAR_WEIGHT * _likeness(own, words))


def _is_said(topic: str, own: set[str], plain: str, words: set[str]) -> bool:
    """Whether a text has a topic literally; in English its whole words, whatever their endings."""
    if not topic.isascii():
        return _normalized(topic) in plain
    begins = [
        word[: max(MIN_STEM_CHARACTERS, len(word) - MAX_ENDING_CHARACTERS)] for word in _normalized(topic).split()
    ]
    return bool(own) and own <= words and all(f" {begin}" in f" {plain}" for begin in begins)


_normalized = lru_cache(maxsize=5_000)(normalize)  # of a contact's words, which are compared with every message


def _likeness(own: set[str], words: set[str]) -> float:
    """The highest cosine of a topic's word and one that was said; 0 below `SIMILAR_FROM`, and without word vectors."""
    if any(word.isascii() for word in own):
        return 0.0
    said = [vector for word in words if (vector := word_vector(word)) is not None]
    wanted = [vector for word in own if (vector := word_vector(word)) is not None]
    best = max((float(one @ other) for one in wanted for other in said), default=0.0)
    return best if best >= SIMILAR_FROM else 0.0


def _of_sections(contact: Contact, field: Sequence[str], naming: Sequence[_Naming]) -> float:
    """The score of a contact by the best sections: they name it, or are headed by a word of its field."""
    values = [0.0]
    for one in naming:
        named = NAMING_WEIGHT / len(one.contacts) if contact in one.contacts else 0.0
        headed = any(_is_headed(topic, one.heading, one.words) for topic in field)
        values.append(one.weight * (named + HEADING_WEIGHT * headed))
    return math.fsum(value / (1 + place) for place, value in enumerate(sorted(values, reverse=True)))


def _is_headed(topic: str, heading: str, words: set[str]) -> bool:
    own = set(content_words(topic))
    return _is_said(topic, own, heading, words) or (bool(own) and not topic.isascii() and own <= words)


def _naming(hit: SectionHit, contacts: Sequence[Contact]) -> _Naming:
    plain, heading = normalize(hit.text), normalize(f"{hit.title} {hit.heading}")
    named = [one for one in contacts if _is_named(plain, one)]
    return _Naming(named, heading, set(content_words(heading)), hit.score * hit.coverage)


def _is_named(plain: str, contact: Contact) -> bool:
    """Whether a normalised text names a contact."""
    return any(name in plain for name in _names(contact.name, contact.reach))


@lru_cache(maxsize=1_000)
def _names(name: str, reach: str) -> tuple[str, ...]:
    """The names by which a text mentions a contact: its name, its last part, its addresses."""
    last = "" if name.isascii() else name.split()[-1]
    return tuple(filter(None, map(normalize, (name, last, *_ADDRESS.findall(reach)))))
