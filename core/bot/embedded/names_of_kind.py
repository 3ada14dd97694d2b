"""Which of several things of one kind is meant: "may we take pets into the park?", if the documents name three
parks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.base.types import SectionHit
from core.text.language import content_words

# Sections whose names are read.
READ_SECTIONS = 10
# Names from which it is open which is meant.
MIN_NAMES = 2
# Names that are offered.
MAX_NAMES = 4
# Words before a noun among which an article can stand.
ARTICLE_WORDS = 3
# Words before the noun in a name: "Watkins Glen State Park".
MAX_NAME_WORDS = 4
_WORD = re.compile(r"[A-Za-z][\w’'&-]*")
_POINTING = frozenset(("the", "this", "that", "these", "those"))


def names_of_kind(message: str, sections: Sequence[SectionHit], said: str) -> tuple[str, ...]:
    """The names, at most four, that the sections found give to things of a kind that the message points to but does not
    name.

    `said`: what was said before; a kind that was mentioned there, or a name, is known. A kind that most sections speak
    of without a name needs none ("may I take my dog on the train?"). English only: its names are capitalized.
    """
    known = frozenset(content_words(f"{said} {message}", "en"))
    before = frozenset(content_words(said, "en"))
    for kind in _kinds_pointed_to(message):
        if kind in before:
            continue
        found: dict[frozenset[str], str] = {}
        balance = 0  # sections that name one, less those that do not
        for hit in sections[:READ_SECTIONS]:
            text = f"{hit.title}\n{hit.heading}\n{hit.text}"
            names = list(_names(text, kind))
            balance += 1 if names else -(kind in content_words(text, "en"))
            for own, name in names:
                if not any(own <= other for other in found):  # the same, or a short form of it
                    found[own] = name
        if balance > 0 and len(found) >= MIN_NAMES and not any(own & known for own in found):
            return tuple(found.values())[:MAX_NAMES]
    return ()


def _kinds_pointed_to(message: str) -> Iterator[str]:
    """The stems of the words behind "the" or "this", the last of each phrase."""
    words = [match.group() for match in _WORD.finditer(message)]
    for place, word in enumerate(words):
        near = words[max(0, place - ARTICLE_WORDS) : place]
        if word.islower() and any(one.lower() in _POINTING for one in near):
            yield from content_words(word, "en")[:1]


def _names(text: str, kind: str) -> Iterator[tuple[frozenset[str], str]]:
    """What is special about each name of this kind in a text, as stems, and the whole name."""
    words = list(_WORD.finditer(text))
    for place, word in enumerate(words):
        if content_words(word.group(), "en")[:1] != (kind,):
            continue
        first = place
        while first > max(0, place - MAX_NAME_WORDS) and _belongs(text, words[first - 1], words[first]):
            first -= 1
        own = frozenset(stem for one in words[first:place] for stem in content_words(one.group(), "en")) - {kind}
        while first < place and not content_words(words[first].group(), "en"):
            first += 1
        if own and not (place - first == 1 and _begins(text, words[first].start())):
            yield own, text[words[first].start() : word.end()]


def _belongs(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    """Whether a capitalized word stands right before another word."""
    return word.group()[0].isupper() and text[word.end() : following.start()] == " "


def _begins(text: str, place: int) -> bool:
    """Whether a sentence or a line begins here, so that a capital letter says nothing."""
    return text[:place].rstrip(" \"'“*#-")[-1:] in ("", "\n", ".", "!", "?", ":", "•", "|")
