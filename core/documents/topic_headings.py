"""Topics that begin items or paragraphs: a nested list whose items each have items of their own, or bold type at the
beginning of each paragraph (**Late fees** – …)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from typing import NamedTuple

from core.documents.plain_headings import Head, width

MAX_TOPIC_WIDTH = 80  # width of a topic (a Japanese letter counts as two)
MIN_TOPICS = 3  # topics of a list, or bold beginnings, from which they are headings
MIN_SUBTOPICS = 2  # the same, of the items below a topic
TOPIC_SHARE = 0.75  # share of the items of a list, from which those with items of their own are its topics
MIN_DIVIDED_CHARACTERS = 120  # characters below a topic from which its own items can be topics
TAB = 4  # columns of a tab in front of an item
_ITEM = re.compile(r"(?P<indent>[ \t　]*)(?:[-*+・•●◦○▪]|\d{1,2}[.)．])[ \t　]*(?P<text>\S.*)")
_BOLD = re.compile(
    r"(?:[-*+・•] +)?(?:\*\*|__)(?P<topic>[^*_\s](?:[^*_]*[^*_\s])?)[:：]?(?:\*\*|__)[ \t　]*[:：–—-]?[ \t　]*(?P<rest>\S.*)"
)
_SIGNS = re.compile(r"\*\*|__|`")


class _Item(NamedTuple):
    """An item of a list."""

    first: int  # its line
    indent: int  # columns
    text: str


def topic_headings(
    lines: Sequence[str], used_lines: Set[int], heads: Sequence[Head], level: int, whole: Collection[int] = ()
) -> list[Head]:
    """The topics of lists and of paragraphs as headings, one level deeper for topics below topics.

    used_lines: lines of tables and code; heads: the other headings; whole: the first lines of those whose text stays in one
    piece, such as the answer to a question.
    """
    starts = sorted({0: 0, **{head.first: head.after for head in heads}}.items())
    ends = [first for first, _ in starts[1:]] + [len(lines)]
    found: list[Head] = []
    for (first, after), end in zip(starts, ends, strict=True):
        part = [place for place in range(after, end) if lines[place].strip()]
        if first not in whole and used_lines.isdisjoint(part):
            found += _of_list(lines, part, level) or _of_paragraphs(lines, part, level)
    return found


def _of_list(lines: Sequence[str], part: Sequence[int], level: int) -> list[Head]:
    """The topics of a list that goes on to the end of a section, perhaps below a few words that introduce it."""
    items: list[_Item] = []
    for place in part:
        if found := _ITEM.fullmatch(lines[place]):
            text = _SIGNS.sub("", found["text"]).strip().rstrip(":：")
            items.append(_Item(place, len(found["indent"].expandtabs(TAB)), text))
        elif items:
            return []
    return list(_topics(lines, items, level, MIN_TOPICS)) if items else []


def _topics(lines: Sequence[str], items: Sequence[_Item], level: int, least: int) -> Iterator[Head]:
    """The outermost items as headings if most have items of their own, and those few enough words for a topic.

    An item without any gets a heading without words: it belongs to what is above all of them.
    """
    outer: list[tuple[_Item, list[_Item]]] = []  # each with the items below it
    for item in items:
        if item.indent == items[0].indent:
            outer.append((item, []))
        else:
            outer[-1][1].append(item)
    topics = [item for item, own in outer if own]
    if len(topics) < max(least, TOPIC_SHARE * len(outer)) or any(item.indent < items[0].indent for item in items):
        return
    if any(width(item.text) > MAX_TOPIC_WIDTH for item in topics):
        return
    for item, own in outer:
        yield Head(item.first, item.first + 1, level, item.text) if own else Head(item.first, item.first, level, "")
        if sum(len(lines[other.first].strip()) for other in own) >= MIN_DIVIDED_CHARACTERS:
            yield from _topics(lines, own, level + 1, MIN_SUBTOPICS)


def _of_paragraphs(lines: Sequence[str], part: Sequence[int], level: int) -> list[Head]:
    """The bold beginnings of paragraphs, if most paragraphs have one."""
    begins = [
        place for at, place in enumerate(part) if not at or place - part[at - 1] > 1 or _BOLD.fullmatch(lines[place])
    ]
    found = [(place, match) for place in begins if (match := _BOLD.fullmatch(lines[place]))]
    if len(found) < MIN_TOPICS or 2 * len(found) <= len(begins):
        return []
    if any(width(match["topic"]) > MAX_TOPIC_WIDTH for _, match in found):
        return []
    closing = [place for place in begins if place > found[-1][0]][:1]  # belongs to no topic
    return [
        *(
            Head(place, place + 1, level, match["topic"].rstrip(" :："), match["rest"].strip())
            for place, match in found
        ),
        *(Head(place, place, level, "") for place in closing),
    ]
