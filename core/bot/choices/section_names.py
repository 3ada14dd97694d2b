"""Sections as choices that the user can pick: by heading, or by heading and document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.base.reply_fields import MAX_CHOICES
from core.base.types import AnyHit
from core.bot.section_probability import Found
from core.documents.heading_names import is_weak, last_heading, short_title
from core.documents.plain_headings import is_rule_line, width
from core.text.language import content_words, script

# Width of a text below a document's title up to which it is a title block or a short introduction (a Japanese letter
# counts as two).
MAX_INTRODUCTION_WIDTH = 240
# Words of each part of a heading such as "Food and drink", which says little alone.
MAX_WORDS_OF_PAIR = 2
_JOINED = re.compile(
    r"\s{0,3}[,、&＆/／・]\s{0,3}(?:(?:and|or)\b\s{0,3})?|\s{1,3}(?:and|or)\s{1,3}|(?<=[\u3040-\u9fff])(?:と|や|及び|または)(?=[\u30a0-\u9fff])",
    re.IGNORECASE,
)
_SHORT_NOUN = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff々]{1,4}")
_BRACKETED = re.compile(r"\s{0,4}[(（][^()（）]*+[)）]")


def section_choices(sections: Sequence[AnyHit], found: Sequence[AnyHit] = ()) -> tuple[str, ...]:
    """The headings of the first five sections; a heading of two documents, or one that says little alone, gets its
    document.

    found: all sections found, if those are some of them (see `selectable_sections`).
    """
    sections = selectable_sections(sections, found)
    names = Counter(last_heading(hit.heading) for hit in sections)
    choices: dict[str, None] = {}
    for hit in sections:
        name = last_heading(hit.heading)
        in_doubt = names[name] > 1 or (hit.heading != hit.title and _says_little(name, hit.title))
        choices[_with_title(name, hit.title) if in_doubt else name] = None
    return tuple(choices)[:MAX_CHOICES]


def selectable_sections(sections: Sequence[Found], found: Sequence[AnyHit] = ()) -> list[Found]:
    """The sections that can be picked: not empty ones, nor title blocks and short introductions of documents with another
    section among those found (the title promises more than such a text has)."""
    divided = {one.document for one in (*sections, *found) if one.heading != one.title}
    return [one for one in sections if not (_is_introduction(one) and one.document in divided) and _has_words(one.text)]


def _is_introduction(section: AnyHit) -> bool:
    return section.heading == section.title and width(section.text) <= MAX_INTRODUCTION_WIDTH


def _has_words(text: str) -> bool:
    """Whether a text is more than a rule; also true for an unknown text."""
    return not text or any(line.strip() and not is_rule_line(line) for line in text.splitlines())


def _says_little(name: str, title: str) -> bool:
    """Whether a heading does not say what it is about: "Other", "Guests", "Food and drink", なくしたとき, 連絡先."""
    words = set(content_words(name))
    if is_weak(name) or words & set(content_words(title)):
        return is_weak(name)
    return len(words) <= 1 or bool(_SHORT_NOUN.fullmatch(name)) or _is_bare_pair(name)


def _is_bare_pair(name: str) -> bool:
    """Whether a heading is two bare nouns: "Food and drink", 申込みと抽選."""
    parts = _JOINED.split(name)
    return len(parts) == 2 and all(
        len(part.split()) <= MAX_WORDS_OF_PAIR
        and (len(set(content_words(part))) <= 1 or bool(_SHORT_NOUN.fullmatch(part)))
        for part in parts
    )


def names_section(choice: str, title: str, heading: str) -> bool:
    """Whether a choice stands for a section."""
    return choice in names_of_section(title, heading)


def names_of_section(title: str, heading: str) -> tuple[str, str]:
    """The names of a section as a choice: its heading, and that with its document."""
    name = last_heading(heading)
    return name, _with_title(name, title)


def _with_title(name: str, title: str) -> str:
    """A heading with its document in brackets: "Guests (Living in halls)"; alone if it ends with the document's title."""
    title = _BRACKETED.sub("", short_title(title)).strip()
    if title and name.endswith(title):
        return name
    return f"{name} ({title})" if script(name + title) == "en" else f"{name}（{title}）"
