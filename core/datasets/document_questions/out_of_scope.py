"""Questions on subjects that the documents could cover but do not, each checked to be absent."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.toml import bundled_toml
from core.base.types import Language
from core.datasets.document_questions.section import Section
from core.retrieval.lexical import Lexical
from core.text.language import content_words, frame_words, sentences
from core.text.normalize import normalize

MAX_TOPIC_LETTERS = 32
ANSWERED_FROM = 0.8  # share of a question's words in a section from which the section may answer it
MIN_WORDS_IN_SENTENCE = 2  # of a question's words in one sentence, from which that sentence may answer it
MAX_COVERAGE = 0.6  # weighted share of a question's words, with synonyms, below which no section answers it
RELATED_DOMAIN_FACTOR = 0.4  # of the best domain's score, from which a related domain fits as well
MIN_DOMAIN_SCORE = 0.06  # below which the documents are of no known domain


class Subject(NamedTuple):
    """A subject that documents may leave out, with a question about it."""

    question: str
    absent: str  # pattern of words; documents without any of them do not cover the subject
    trade: str = ""  # pattern of words that documents need for the question to fit (a sofa needs a furniture shop)


class Domain(FrozenModel):
    """A field of business with the subjects that people ask about."""

    name: str
    signs: tuple[str, ...]  # words that its documents have
    subjects: tuple[Subject, ...]


@cache
def domains(language: Language) -> tuple[Domain, ...]:
    """The domains of `out_of_scope.<language>.toml`; the last is for any other organisation."""
    table = bundled_toml(__file__, f"out_of_scope.{language}.toml")
    return tuple(Domain.model_validate({"name": name, **domain}) for name, domain in table.items())


def fitting_domains(sections: Sequence[Section], language: Language) -> tuple[tuple[Domain, float], ...]:
    """The domain of the documents, and those akin to it, each with the mean share of documents that have its words."""
    texts: dict[str, str] = {}
    for section in sections:
        texts[section.document] = f"{texts.get(section.document, '')}\n{_shown(section)}"
    *known, other = domains(language)
    shares: list[tuple[Domain, float]] = []
    for domain in known:
        named = sum(normalize(sign) in text for text in texts.values() for sign in domain.signs)
        shares.append((domain, named / len(domain.signs) / max(1, len(texts))))
    first, best = max(shares, key=lambda pair: pair[1])
    if best < MIN_DOMAIN_SCORE:
        return ((other, 1.0),)
    least = max(MIN_DOMAIN_SCORE, RELATED_DOMAIN_FACTOR * best)
    return tuple((domain, share) for domain, share in shares if share >= least and _family(domain) == _family(first))


def _family(domain: Domain) -> str:
    """Domains that one organisation may have at once share the first word of their names: work_people, work_it."""
    return domain.name.split("_")[0]


def out_of_scope(
    sections: Sequence[Section], language: Language, seed: int, lexical: Lexical
) -> Iterator[tuple[str, str]]:
    """(question, document nearest to it), in an order drawn by the seed; the domains
    that fit the documents alternate, then come subjects of any organisation.

    No two are about the same subject. lexical: index of the sections' texts.
    """
    rng = random.Random(seed)
    drawn = [
        (place / share, subject)
        for domain, share in fitting_domains(sections, language)
        for place, subject in enumerate(rng.sample(domain.subjects, len(domain.subjects)), 1)
    ]
    other = domains(language)[-1]
    drawn += [(float("inf"), subject) for subject in rng.sample(other.subjects, len(other.subjects))]
    texts = [_shown(section) for section in sections]
    parts = (part for section in sections for part in (section.heading, *sentences(section.text)))
    said = [set(content_words(part)) for part in parts]
    asked: list[str] = []
    for _, subject in sorted(drawn, key=lambda pair: pair[0]):
        pattern = re.compile(subject.absent, re.IGNORECASE)
        if any(pattern.search(other) for other in asked) or any(pattern.search(text) for text in texts):
            continue
        if subject.trade and not any(re.search(subject.trade, text, re.IGNORECASE) for text in texts):
            continue
        words = set(content_words(subject.question)) - frame_words()
        if any(len(words & sentence) >= MIN_WORDS_IN_SENTENCE for sentence in said):
            continue
        if float(lexical.coverages(subject.question).max()) >= MAX_COVERAGE:
            continue
        asked.append(normalize(subject.question))
        scores = lexical.scores(subject.question)
        yield subject.question, sections[int(scores.argmax())].document


def _shown(section: Section) -> str:
    return normalize(f"{section.title}\n{section.heading}\n{section.text}")


def topics(sections: Sequence[Section]) -> dict[str, str]:
    """What the documents are about, by their titles, and the document of each."""
    subjects = {section.subject: section.document for section in reversed(sections)}
    return {subject: document for subject, document in subjects.items() if 2 <= len(subject) <= MAX_TOPIC_LETTERS}


def answering(question: str, sections: Sequence[Section]) -> Section | None:
    """The section that has (nearly) all words of a question, and so may answer it."""
    asked = set(content_words(question)) - frame_words()
    if len(asked) < 2:
        return None
    for section in sections:
        present = set(content_words(f"{section.heading}\n{section.text}"))
        if len(asked & present) / len(asked) >= ANSWERED_FROM:
            return section
    return None
