"""Sections for people with another plan, device, office or contract than the person has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from core.base.types import Hit, ProfileField, Topic
from core.bot.profile_values import named_values, other_value
from core.documents.headings import last_heading
from core.retrieval.document_values import DocumentValues
from core.retrieval.index import OTHER_VALUE_FACTOR
from core.text.dates import dates, has_expired

# By how much the log likelihood of a section for others is lowered.
LESS_LIKELY = 1.0
_OLD = re.compile(r"旧|以前|昔|前の|これまで|今まで|\b(?:old|older|previous|former|before|used to)\b", re.IGNORECASE)
Found = TypeVar("Found", Hit, Topic)
IsOther = Callable[[str, str, str], bool]  # by what is said, and a section's document and heading


class HasSection(Protocol):
    """A section that was found, or a passage of it."""

    @property
    def document(self) -> str: ...
    @property
    def heading(self) -> str: ...


class PersonFacts(NamedTuple):
    """What the person has said and what the profile holds, newest first.

    message: the last one; before: what was said before, and the profile; values: the values that the documents tell
    apart; fields: those of the bot; today: the day that the bot goes by, if what is over by then is to be behind.
    """

    values: DocumentValues
    fields: tuple[ProfileField, ...]
    message: str
    before: Sequence[str] = ()
    today: date | None = None

    def for_other_profiles(self, found: Iterable[HasSection]) -> frozenset[tuple[str, str]]:
        """(document, heading) of the sections found that are meant for other people, or headed by a day that is over.

        A section is for others if its heading names another value than the message does; or than was said before, if a
        section with the person's own value was found, too (somebody on one plan may ask about another). There are none
        if the message asks for what was before; and a day counts only if the message names none.
        """
        sections = [(one.document, one.heading) for one in found]
        said = [(self.values.excludes, self.message), *self._earlier(sections)]
        over = [one for one in sections if self.today and has_expired(one[1], self.today) and not dates(self.message)]
        others = (section for section in sections if any(is_other(text, *section) for is_other, text in said))
        return frozenset([*others, *over] if not _OLD.search(self.message) else others)

    def _earlier(self, sections: Sequence[tuple[str, str]]) -> list[tuple[IsOther, str]]:
        """What was said before of matters that the message leaves open, each with what tells a section for others."""
        said: list[tuple[IsOther, str]] = []
        earlier = "" if self.values.named(self.message) else next(filter(self.values.named, self.before), "")
        if earlier and any(self.values.names_own(earlier, *section) for section in sections):
            said.append((self.values.excludes, earlier))
        for field in self.fields:
            named = (named_values(field, text) for text in (self.message, *self.before))
            own = next(filter(None, named), frozenset[str]())
            headed = any(named_values(field, last_heading(heading)) & own for _, heading in sections)
            if own and headed and not named_values(field, self.message):
                said.append((partial(_is_other, field), " / ".join(sorted(own))))
        return said

    def is_for_other_profile(self, heading: str) -> bool:
        """Whether a heading names another value of one of the bot's fields than anything that is known of the
        person."""
        return other_value(self.fields, "\n".join((self.message, *self.before)), heading)


def _is_other(field: ProfileField, said: str, _: str, heading: str) -> bool:
    return other_value((field,), said, last_heading(heading))


def rank_down_other_profiles(found: Sequence[Found], query: str, facts: PersonFacts) -> tuple[Found, ...]:
    """Lower the scores of sections meant for other people, unless the query names their value; best first."""
    others = facts.for_other_profiles(found)
    lowered = [
        _lowered(one)
        if (place := (one.document, one.heading)) in others and not facts.values.excludes(query, *place)
        else one
        for one in found
    ]
    return tuple(sorted(lowered, key=lambda one: -one.score)) if others else tuple(found)


def _lowered(one: Found) -> Found:
    less = {
        name: round(getattr(one, name) * OTHER_VALUE_FACTOR, 4) for name in ("score", "strength", "example", "shared")
    }
    return one.model_copy(update={**less, "likelihood": one.likelihood - LESS_LIKELY})
