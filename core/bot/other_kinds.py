"""Sections for people with another plan, device, office or contract than the person has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from core.base.types import Hit, ProfileField, Topic
from core.bot.profile_values import named_values, other_value
from core.retrieval.headings import last_heading
from core.retrieval.index import OTHER
from core.retrieval.siblings import Siblings

Found = TypeVar("Found", Hit, Topic)
IsOther = Callable[[str, str, str], bool]  # by what is said, and a section's document and heading


class Section(Protocol):
    """A section that was found, or a passage of it."""

    @property
    def document(self) -> str: ...
    @property
    def heading(self) -> str: ...


class Known(NamedTuple):
    """What is known of the person: what the last message says, and what was said before or stands in the profile, the newest first.

    siblings: the values that the documents tell apart; fields: those of the bot.
    """

    siblings: Siblings
    fields: tuple[ProfileField, ...]
    message: str
    before: Sequence[str] = ()

    def others_among(self, found: Iterable[Section]) -> frozenset[tuple[str, str]]:
        """(document, heading) of the sections found that are headed by another value than the person's.

        What the message names rules out by itself; what was said before, only if a section of the person's own was found:
        somebody on one plan may ask about another.
        """
        sections = [(one.document, one.heading) for one in found]
        said = [(self.siblings.is_other, self.message), *self._earlier(sections)]
        return frozenset(section for section in sections if any(is_other(text, *section) for is_other, text in said))

    def _earlier(self, sections: Sequence[tuple[str, str]]) -> list[tuple[IsOther, str]]:
        """What was said before of matters that the message leaves open, each with what tells a section for others."""
        said: list[tuple[IsOther, str]] = []
        told = "" if self.siblings.named(self.message) else next(filter(self.siblings.named, self.before), "")
        if told and any(self.siblings.is_own(told, *section) for section in sections):
            said.append((self.siblings.is_other, told))
        for field in self.fields:
            named = (named_values(field, text) for text in (self.message, *self.before))
            own = next(filter(None, named), frozenset[str]())
            headed = any(named_values(field, last_heading(heading)) & own for _, heading in sections)
            if own and headed and not named_values(field, self.message):
                said.append((partial(_is_other, field), " / ".join(sorted(own))))
        return said

    def is_for_others(self, heading: str) -> bool:
        """Whether a heading names another value of one of the bot's fields than anything that is known of the person."""
        return other_value(self.fields, "\n".join((self.message, *self.before)), heading)


def _is_other(field: ProfileField, said: str, _: str, heading: str) -> bool:
    return other_value((field,), said, last_heading(heading))


def set_aside(found: Sequence[Found], query: str, known: Known) -> tuple[Found, ...]:
    """What was found for a query, the sections for others with less of their scores (those that the query itself tells have it), and so behind."""
    others = known.others_among(found)
    lowered = [
        _lowered(one)
        if (place := (one.document, one.heading)) in others and not known.siblings.is_other(query, *place)
        else one
        for one in found
    ]
    return tuple(sorted(lowered, key=lambda one: -one.score)) if others else tuple(found)


def _lowered(one: Found) -> Found:
    less = {name: round(getattr(one, name) * OTHER, 4) for name in ("score", "strength", "example")}
    return one.model_copy(update=less)
