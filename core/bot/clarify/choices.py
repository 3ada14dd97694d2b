"""What a person can pick in reply to a clarifying question: the sections, or documents, that a message may mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.base.probabilities import coefficients, linear, log_odds, logistic
from core.base.reply_fields import MOST_CHOICES
from core.base.types import Hit, Topic
from core.bot.clarify.clarity import heading_match
from core.bot.evidence import has_examples, section_probabilities, sections_above, sections_of_like_question
from core.retrieval.headings import last_heading, short_title
from core.text.answer_kinds import asked_kinds
from core.text.language import content_words
from core.text.message_questions import tells_failure
from core.text.question_subject import is_noun_phrase, subject

RIVALS = 4  # topics that are offered if a message may mean any of them
BARE = 2  # content words of a message that names a subject and no more
LEAST_TITLES = 3  # documents from which they are offered by their titles
MOST_OF_ONE = 2  # sections of one document among the choices
NEAR = 0.4  # score of a section, beside that of the best one (1), from which it fills up the choices
MAYBE = 0.007  # probability of an answer from which a section is offered for an ambiguous message
MEANT, AT_LEAST = 0.2, 2  # the same of being meant, if sections share example questions; and so many are offered
FILLED = 3  # choices up to which other sections fill them up
POSSIBLE, BESIDE = 0.05, 0.15  # probability, and share of the likeliest one's, from which a section is offered
OFFERED = 0.5  # a section is offered when it covers this share of what the best one covers
_WISHED = re.compile(r"を?(?:し|して)?(?:たい|ほしい|欲しい)(?:です)?$")  # what a bare wish (解約したいです) ends with


def choices_to_offer(text: str, topics: Sequence[Topic]) -> tuple[str, ...]:
    """What a person can pick: up to five documents if three or more are about a message of a word or two, else up to
    four sections.

    Sections: those of the example question that it is like; else those that it may mean, if there are example questions
    and it says more than its subject; else the one found first, those whose headings share a word with it, and others
    near it.
    """
    if titles := titles_to_offer(text, topics):
        return titles
    if sections_of_like_question(topics) or (_says_more(text) and has_examples(topics)):
        return possible_choices(topics)
    rivals = sorted(_rivals(topics), key=lambda topic: -heading_match(text, topic.heading) - topic.score)
    if len(section_choices(rivals, MOST_OF_ONE)) < 2:
        return ()
    near = [topic for topic in topics if topic.score >= NEAR * topics[0].score]
    return section_choices(list(dict.fromkeys([topics[0], *_few_of_each(rivals), *near])))[:RIVALS]


def possible_choices(topics: Sequence[Topic], others: Sequence[Topic] = ()) -> tuple[str, ...]:
    """Up to five sections that a message may mean, the likeliest first.

    others: sections of other documents, which fill up the choices to three.
    """
    if any(topic.shared_likelihood for topic in topics):
        meant = sections_meant(topics)
    else:
        meant = _few_of_each(sections_above(topics, MAYBE)) if has_examples(topics) else []
    documents = {topic.document for topic in meant}
    more = [topic for topic in others if topic.document not in documents]
    return section_choices([*meant, *more[: max(FILLED - len(meant), 0)]])


def sections_meant(topics: Sequence[Topic]) -> list[Topic]:
    """The sections that a vague message may mean, the likeliest first, if sections share example questions: two at
    least."""
    likely = sorted(zip(choice_probabilities(topics), topics, strict=True), key=lambda pair: -pair[0])
    return [topic for place, (chance, topic) in enumerate(likely) if place < AT_LEAST or chance >= MEANT]


def choice_probabilities(topics: Sequence[Topic]) -> list[float]:
    """Probability (0 to 1) that each section is one that a vague message may mean; coefficients: choices.toml."""
    return [logistic(linear(coefficients(__file__, "choices.toml")["meant"], one)) for one in choice_features(topics)]


def choice_features(topics: Sequence[Topic]) -> list[dict[str, float]]:
    """What speaks for each section as one that a vague message may mean.

    answers: log odds that it answers the message; like: whether the shared question that the message is like is one of
    its own (0 or 1).
    """
    chances, like = [*section_probabilities(topics), *[0.0] * len(topics)], sections_of_like_question(topics)
    return [
        {
            "answers": log_odds(chance),
            "score": topic.score,
            "likelihood": topic.likelihood,
            "shared_likelihood": topic.shared_likelihood,
            "like": float(topic in like),
        }
        for chance, topic in zip(chances, topics, strict=False)
    ]


def titles_to_offer(text: str, topics: Sequence[Topic]) -> tuple[str, ...]:
    """The titles of the documents that a message of a word or two names alike, three to five; none if it says more."""
    if len(content_words(text)) > BARE or (_says_more(text) and has_examples(topics)):
        return ()
    of_title = sorted((one for one in _rivals(topics) if one.title_coverage > 0), key=lambda topic: -topic.lexical)
    titles = tuple(dict.fromkeys(short_title(topic.title) for topic in of_title))
    return titles[:MOST_CHOICES] if len(titles) >= LEAST_TITLES else ()


def _says_more(text: str) -> bool:
    """Whether a message says more than its subject."""
    named = _WISHED.sub("", subject(text))
    return len(content_words(text)) > 1 or bool(asked_kinds(text)) or not is_noun_phrase(named) or tells_failure(text)


def _rivals(topics: Sequence[Topic]) -> list[Topic]:
    """The sections whose headings share a word with the message and that cover it about as well as the best one."""
    top = max((topic.coverage for topic in topics), default=0.0)
    return [topic for topic in topics if topic.heading_coverage > 0 and topic.coverage >= OFFERED * top]


def _few_of_each(topics: Sequence[Topic]) -> list[Topic]:
    """The first two topics of each document, in order."""
    of_document: Counter[str] = Counter()
    found: list[Topic] = []
    for topic in topics:
        of_document[topic.document] += 1
        if of_document[topic.document] <= MOST_OF_ONE:
            found.append(topic)
    return found


def section_choices(topics: Sequence[Topic | Hit], most_of_one: int = MOST_CHOICES) -> tuple[str, ...]:
    """The headings of the first five sections; one that two documents have is named with its document."""
    names = Counter(last_heading(topic.heading) for topic in topics)
    of_document: Counter[str] = Counter()
    found: dict[str, None] = {}
    for topic in topics:
        name = last_heading(topic.heading)
        if of_document[topic.document] < most_of_one:
            of_document[topic.document] += 1
            found[f"{short_title(topic.title)}: {name}" if names[name] > 1 else name] = None
    return tuple(found)[:MOST_CHOICES]


def likely_choices(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings of the first sections, at most five, without those that are hardly meant; one at least."""
    if not has_examples(topics):
        return section_choices(topics)
    return section_choices(sections_above(topics, POSSIBLE, BESIDE) or sections_above(topics, 0)[:1])


def names_section(choice: str, title: str, heading: str) -> bool:
    """Whether a choice stands for a section: by its heading, or by that and its document."""
    name = last_heading(heading)
    return choice in (name, f"{short_title(title)}: {name}")
