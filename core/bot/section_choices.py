"""Sections as choices that a person can pick: by their headings, or with their documents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.base.reply_fields import MOST_CHOICES
from core.base.types import Hit, Topic
from core.bot.evidence import sections_above
from core.documents.headings import is_weak, last_heading, short_title
from core.text.language import content_words, script

_BRACKETED = re.compile(r"\s{0,4}[(（][^()（）]*+[)）]")
# Probability from which a section is offered.
OFFER_AS_CHOICE_FROM = 0.05
# Share of the likeliest section's probability from which another one is offered.
OFFER_AS_CHOICE_SHARE = 0.15


def section_choices(topics: Sequence[Topic | Hit]) -> tuple[str, ...]:
    """The headings of the first five sections; one that two documents have, or that says little alone, is named with its
    document."""
    names = Counter(last_heading(topic.heading) for topic in topics)
    found: dict[str, None] = {}
    for topic in topics:
        name = last_heading(topic.heading)
        in_doubt = names[name] > 1 or (topic.heading != topic.title and _says_little(name, topic.title))
        found[_with_title(name, topic.title) if in_doubt else name] = None
    return tuple(found)[:MOST_CHOICES]


def _says_little(name: str, title: str) -> bool:
    """Whether a heading does not tell what it is about: "Other", "Guests", なくしたとき."""
    words = set(content_words(name))
    return is_weak(name) or (len(words) <= 1 and not words & set(content_words(title)))


def likely_choices(topics: Sequence[Topic]) -> tuple[str, ...]:
    """The headings of at most five sections that may be meant, the likeliest first; one at least."""
    return section_choices(
        sections_above(topics, OFFER_AS_CHOICE_FROM, OFFER_AS_CHOICE_SHARE) or sections_above(topics, 0)[:1]
    )


def names_section(choice: str, title: str, heading: str) -> bool:
    """Whether a choice stands for a section: by its heading, or by that and its document."""
    name = last_heading(heading)
    return choice in (name, _with_title(name, title))


def _with_title(name: str, title: str) -> str:
    """A heading with its document in brackets: "Guests (Living in halls)"."""
    title = _BRACKETED.sub("", short_title(title)).strip()
    return f"{name} ({title})" if script(name + title) == "en" else f"{name}（{title}）"
