"""Paragraphs of long prose without headings, each named by its first words, so that it can be found, cited and offered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.documents.plain_headings import width
from core.text.language import content_words, script
from core.text.markdown import is_table_line

MIN_PARAGRAPHS = 3  # from which a text is divided
MIN_PARAGRAPH_CHARACTERS = 60  # of a section by itself; a shorter paragraph stays with the one before
MIN_NAME_WIDTH, MAX_NAME_WIDTH = 8, 56  # of a name (a Japanese letter counts as two)
MAX_READ_CHARACTERS = 2 * MAX_NAME_WIDTH  # read for a name: more than it has, so that its end is seen
COMMON_SHARE = 0.25  # of the paragraphs; a word that begins more of them names none ("The Customer ...", 会員は…)

_BLANK = re.compile(r"\n[ \t　]*\n\s*")
_ENDED = re.compile(r"[。.!?！？)）]\s*$")
_LIST_ITEM = re.compile(r"[ \t　]*(?:[-*+・•●◦○▪①-⑳]|\(?\d{1,3}[.)．、]|[(（]\d{1,3}[)）])[ \t　]*\S")
_TOPIC_JA = re.compile(r"(?!この|その|当|本)(?P<topic>[^、。は]+)は")
_CLAUSE_END = re.compile(r"[、,;；:：]|(?P<full>[.!?](?=\s)|[。！？])")
# Where a beginning can be cut: between words; in Japanese at a comma, or between a particle and a word
_WORD_END_EN = re.compile(r"(?= )")
_WORD_END_JA = re.compile(r"(?=、)|(?<=[をはがにでともへ])(?=[一-龯ァ-ヴ])")


def named_paragraphs(body: str) -> list[tuple[str, str]]:
    """The paragraphs of prose with a name each; [] for other texts: tables, lists, few paragraphs."""
    paragraphs = _paragraphs(body)
    if len(paragraphs) < MIN_PARAGRAPHS or any(map(_is_list_or_table, paragraphs)):
        return []
    subjects = Counter(_first_word(one) for one in paragraphs)
    common = {word for word, count in subjects.items() if count > max(1, COMMON_SHARE * len(paragraphs))}
    names = [_name(one, _first_word(one) in common) for one in paragraphs]
    return list(zip(_numbered(names), paragraphs, strict=True))


def _numbered(names: Sequence[str]) -> Iterator[str]:
    """The names; those that several paragraphs have are numbered, since a section is known by its name."""
    total, seen = Counter(names), Counter[str]()
    for name in names:
        seen[name] += 1
        yield f"{name} ({seen[name]})" if total[name] > 1 else name


def _paragraphs(body: str) -> list[str]:
    """The texts between blank lines, or lines that are whole paragraphs, each with short ones that follow it."""
    found: list[str] = []
    parts = (part for block in _BLANK.split(body) for part in _lines_or_block(block))
    for text in filter(None, map(str.strip, parts)):
        if found and len(text) < MIN_PARAGRAPH_CHARACTERS:
            found[-1] = f"{found[-1]}\n\n{text}"
        else:
            found.append(text)
    return found


def _lines_or_block(block: str) -> list[str]:
    """The lines of a text if each is a paragraph by itself, and no line of a broken text; else the text."""
    lines = block.strip().splitlines()
    whole = all(len(line) >= MIN_PARAGRAPH_CHARACTERS and _ENDED.search(line) for line in lines)
    return lines if whole else [block]


def _is_list_or_table(paragraph: str) -> bool:
    return any(_LIST_ITEM.match(line) or is_table_line(line) for line in paragraph.splitlines())


def _first_word(paragraph: str) -> str:
    return next(iter(content_words(paragraph[:MAX_NAME_WIDTH])), "")


def _name(paragraph: str, begins_like_others: bool) -> str:
    """What a Japanese paragraph is about (…は), else its first words, to the end of a clause if that is not far."""
    line = " ".join(paragraph[:MAX_READ_CHARACTERS].split())
    topic = _TOPIC_JA.match(line) if script(line) != "en" else None
    if topic and not begins_like_others and MIN_NAME_WIDTH <= width(topic["topic"]) <= MAX_NAME_WIDTH:
        return topic["topic"]
    for end in _CLAUSE_END.finditer(line):
        if 2 * MIN_NAME_WIDTH <= width(line[: end.start()]) <= MAX_NAME_WIDTH:
            return line[: end.start()] if end["full"] else f"{line[: end.start()]}…"
    return f"{first_words(line)}…"


def first_words(line: str) -> str:
    """The longest beginning no wider than a name; it ends between words if it can."""
    word_end = _WORD_END_EN if script(line) == "en" else _WORD_END_JA
    ends = [found.start() for found in word_end.finditer(line)]
    fitting = [end for end in ends if MIN_NAME_WIDTH <= width(line[:end]) <= MAX_NAME_WIDTH]
    size = fitting[-1] if fitting else next(n for n in range(len(line), 0, -1) if width(line[:n]) <= MAX_NAME_WIDTH)
    return line[:size].rstrip("、,; ")
