"""Ranks sections down that are meant for people with another plan, device, office or contract than the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial
from typing import NamedTuple, Protocol

from core.base.types import ProfileField, Section
from core.bot.profile_values import named_values, other_value
from core.bot.section_probability import Found
from core.documents.heading_names import last_heading
from core.retrieval.document_values import DocumentValues
from core.retrieval.index import OTHER_VALUE_FACTOR
from core.text.dates import Date, dates

# By how much the log likelihood of a section for other people is ranked.
LIKELIHOOD_PENALTY = 1.0
_OLD = re.compile(r"旧|以前|昔|前の|これまで|今まで|\b(?:old|older|previous|former|before|used to)\b", re.IGNORECASE)
_UNTIL = re.compile(
    r"\d{4}年\d{1,2}月(?:\d{1,2}日)?まで|\b(?:until|till|up to) (?:\d{1,2} )?[A-Z][a-z]+ (?:\d{1,2}, )?\d{4}\b"
)
LAST_DAY = 31  # of a month that is given without a day
IsForOther = Callable[[str, str, str], bool]  # of a text, and a section's document and heading


class HasSection(Protocol):
    """A section that was found, or a passage of it."""

    @property
    def section(self) -> Section: ...


class UserFacts(NamedTuple):
    """What the user and the profile say, to find sections that are meant for other people."""

    values: DocumentValues  # the values that the documents distinguish
    fields: tuple[ProfileField, ...]  # the profile fields of the bot
    message: str  # the last message
    before: Sequence[str] = ()  # the messages before, newest first, and the profile
    today: date | None = None  # sections headed by a day before it rank last; None: none do

    def for_other_profiles(self, found: Iterable[HasSection]) -> frozenset[Section]:
        """The sections that are meant for other people, or headed by a day that has passed.

        A section is for others if its heading names another value than the message does; or than an earlier text does,
        if a section with the user's own value was found, too (a user on one plan may ask about another). The result is
        empty if the message asks about the past; and a day counts only if the message names none that has passed.
        """
        sections = [one.section for one in found]
        said = [(self.values.excludes, self.message), *self._earlier(sections)]
        today = None if self.today is None or names_past(self.message, self.today) else self.today
        expired = [one for one in sections if today and has_expired(one.heading, today)]
        others = (section for section in sections if any(is_other(text, *section) for is_other, text in said))
        return frozenset([*others, *expired] if not _OLD.search(self.message) else others)

    def _earlier(self, sections: Sequence[Section]) -> list[tuple[IsForOther, str]]:
        """Earlier texts on what the message leaves open, each with the test for sections that are meant for others."""
        said: list[tuple[IsForOther, str]] = []
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
        """Whether a heading names another value of one of the bot's fields than what is known of the user."""
        return other_value(self.fields, "\n".join((self.message, *self.before)), heading)


def _is_other(field: ProfileField, said: str, _: str, heading: str) -> bool:
    return other_value((field,), said, last_heading(heading))


def rank_down_other_profiles(found: Sequence[Found], query: str, facts: UserFacts) -> tuple[Found, ...]:
    """The sections, best first; those for other people get lower scores unless the query names their value."""
    others = facts.for_other_profiles(found)
    ranked = [
        _ranked_down(one) if one.section in others and not facts.values.excludes(query, *one.section) else one
        for one in found
    ]
    return tuple(sorted(ranked, key=_rank)) if others else tuple(found)


def _rank(one: Found) -> float:
    """By the probability in the conversation, if that is known, else by the score; the best first."""
    return -(one.score if one.in_conversation is None else one.in_conversation)


def _ranked_down(one: Found) -> Found:
    less = {
        name: round(value * OTHER_VALUE_FACTOR, 4)
        for name in ("score", "strength", "example", "shared", "in_conversation")
        if (value := getattr(one, name)) is not None
    }
    return one.model_copy(update={**less, "likelihood": one.likelihood - LIKELIHOOD_PENALTY})


def has_expired(text: str, today: date) -> bool:
    """Whether a text, such as a heading, says that something is valid until a day or month in the past."""
    for found in _UNTIL.finditer(text):
        day = next(iter(dates(found.group())), Date())
        if day.year and day.month and (day.year, day.month, day.day or LAST_DAY) < (today.year, today.month, today.day):
            return True
    return False


def names_past(text: str, today: date) -> bool:
    """Whether a text names a day, month or year before today; of a month without a year the nearest one is meant."""
    now = (today.year, today.month, today.day)
    return any((_nearest_year(day, today), day.month or 12, day.day or LAST_DAY) < now for day in dates(text))


def _nearest_year(day: Date, today: date) -> int:
    months = day.month - today.month
    return day.year or today.year + (months < -6) - (months > 6)
