"""What a user can pick in reply to a clarifying question: the sections, or documents, that a message may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.probabilities import linear, log_odds, logistic
from core.base.reply_fields import MAX_CHOICES
from core.base.toml import bundled_toml
from core.base.types import SectionHit
from core.bot.choices.section_names import section_choices, selectable_sections
from core.bot.embedded_settings import settings_for
from core.bot.section_probability import section_probabilities, sections_above, sections_of_like_question
from core.documents.heading_names import short_title
from core.text.answer_kinds import asked_kinds
from core.text.language import content_words
from core.text.message_questions import tells_failure
from core.text.question_subject import is_noun_phrase, subject

# Content words of a message that names a subject and no more.
MAX_SUBJECT_WORDS = 2
# Documents from which they are offered by their titles.
MIN_TITLES = 3
# Probability from which a section that a vague message may mean is offered, if sections share example questions.
MEANT_FROM = 0.2
# Sections that are offered then, however unlikely they are.
MIN_MEANT = 2
# Choices up to which other sections fill them up.
MIN_CHOICES = 3
# Share of what the best section covers from which another one is a rival.
RIVAL_SHARE = 0.5
# Probability from which a section is offered.
OFFER_AS_CHOICE_FROM = 0.05
# Probability of a section from which few choices are enough; else others from FILL_UP_FROM fill them up to FILLED_CHOICES.
FEW_ARE_ENOUGH_FROM = 0.5
FILLED_CHOICES = 3
FILL_UP_FROM = 0.03
# Share of the likeliest section's probability from which another one is offered.
OFFER_AS_CHOICE_SHARE = 0.15
_WISHED = re.compile(r"を?(?:し|して)?(?:たい|ほしい|欲しい)(?:です)?$")  # what a bare wish (解約したいです) ends with


def choices_to_offer(text: str, sections: Sequence[SectionHit]) -> tuple[str, ...]:
    """What a user can pick: documents if three or more are about a message of a word or two, else up to five
    sections."""
    of_sections = possible_section_choices if settings_for(sections).offers_possible else likely_section_choices
    return document_choices(text, sections) or of_sections(sections)


def likely_section_choices(sections: Sequence[SectionHit]) -> tuple[str, ...]:
    """The headings of one to five sections that may be meant, the likeliest first.

    If none is likelier than not, further ones fill them up to three.
    """
    likely = sections_above(sections, OFFER_AS_CHOICE_FROM, OFFER_AS_CHOICE_SHARE)
    if not sections_above(sections, FEW_ARE_ENOUGH_FROM):
        likely += sections_above(sections, FILL_UP_FROM)[len(likely) : FILLED_CHOICES]
    return section_choices(likely, sections) or section_choices(sections_above(sections, 0), sections)[:1]


def possible_section_choices(sections: Sequence[SectionHit], others: Sequence[SectionHit] = ()) -> tuple[str, ...]:
    """Up to five sections that a message may mean, the likeliest first.

    others: sections of other documents, which fill up the choices to three.
    """
    if any(hit.shared_likelihood for hit in sections):
        meant = sections_meant(sections)
    else:
        meant = sections_above(sections, settings_for(sections).possible_from)
    meant = selectable_sections(meant, sections) or meant
    documents = {hit.document for hit in meant}
    named = any(hit.coverage for hit in others)  # the rest shares only words such as "become" or "understand"
    more = [one for one in others if one.document not in documents and (one.coverage or not named)]
    more = selectable_sections(more, [*sections, *others])
    return section_choices([*meant, *more[: max(MIN_CHOICES - len(meant), 0)]])


def sections_meant(sections: Sequence[SectionHit]) -> list[SectionHit]:
    """The sections that a vague message may mean, the likeliest first; at least two. For bots whose sections share example
    questions.

    The section that the words of its example questions make likeliest is always among them: a story of several sentences
    often means it.
    """
    likely = sorted(zip(choice_probabilities(sections), sections, strict=True), key=lambda pair: -pair[0])
    meant = [hit for place, (chance, hit) in enumerate(likely) if place < MIN_MEANT or chance >= MEANT_FROM]
    by_words = max(sections, key=lambda hit: hit.likelihood)
    if by_words not in meant[:MAX_CHOICES]:
        meant.insert(MAX_CHOICES - 1, by_words)
    return meant


def choice_probabilities(sections: Sequence[SectionHit]) -> list[float]:
    """Probability (0 to 1) that each section is one that a vague message may mean; coefficients: question_choices.toml."""
    return [
        logistic(linear(bundled_toml(__file__, "question_choices.toml")["meant"], one))
        for one in choice_features(sections)
    ]


def choice_features(sections: Sequence[SectionHit]) -> list[dict[str, float]]:
    """What speaks for each section as one that a vague message may mean.

    answers: log odds that it answers the message; like: whether the shared question that the message is like is one of
    its own (0 or 1).
    """
    chances, like = [*section_probabilities(sections), *[0.0] * len(sections)], sections_of_like_question(sections)
    return [
        {
            "answers": log_odds(chance),
            "score": hit.score,
            "likelihood": hit.likelihood,
            "shared_likelihood": hit.shared_likelihood,
            "like": float(hit in like),
        }
        for chance, hit in zip(chances, sections, strict=False)
    ]


def document_choices(text: str, sections: Sequence[SectionHit]) -> tuple[str, ...]:
    """The titles of the documents that a message of a word or two names alike, three to five; none if it says more."""
    if len(content_words(text)) > MAX_SUBJECT_WORDS or (
        settings_for(sections).titles_need_bare_subject and _says_more(text)
    ):
        return ()
    of_title = sorted((one for one in _rivals(sections) if one.title_coverage > 0), key=lambda hit: -hit.lexical)
    titles = tuple(dict.fromkeys(short_title(hit.title) for hit in of_title))
    return titles[:MAX_CHOICES] if len(titles) >= MIN_TITLES else ()


def _says_more(text: str) -> bool:
    """Whether a message says more than its subject."""
    named = _WISHED.sub("", subject(text))
    return len(content_words(text)) > 1 or bool(asked_kinds(text)) or not is_noun_phrase(named) or tells_failure(text)


def _rivals(sections: Sequence[SectionHit]) -> list[SectionHit]:
    """The sections whose headings share a word with the message and that cover it about as well as the best one."""
    top = max((hit.coverage for hit in sections), default=0.0)
    return [hit for hit in sections if hit.heading_coverage > 0 and hit.coverage >= RIVAL_SHARE * top]
