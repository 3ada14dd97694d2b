"""The title of a document and its headings: of Markdown and plain text, questions, dated notices, topics of lists."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.documents.documents import MAX_HEADINGS
from core.documents.notice_headings import NOTICE_LEVEL, notice_headings
from core.documents.paragraph_names import first_words
from core.documents.plain_headings import Head, is_rule_line, is_title_like, plain_headings, without_decoration
from core.documents.question_headings import question_headings
from core.documents.table_files import is_table_file, table_title
from core.documents.topic_headings import topic_headings
from core.text.language import content_words, script
from core.text.markdown import is_table_line

MAX_TITLE_CHARACTERS = 60  # characters of a first line that becomes the title of a document without headings
MAX_TITLE_BLOCK_LINES = 3  # lines at the top of a document among which its title is looked for
MAX_UNDERLINED_CHARACTERS = 100  # of an underlined heading in Markdown: a longer one is a paragraph above a rule
_PLAIN_LEVEL = 7  # of headings of plain text in a document with Markdown headings, below those
_TOPIC_LEVEL = 22  # of topics, below that of questions
MIN_CELL_SIGNS = 3  # signs between cells from which a first line is the header of a table, and no title
_GAP = re.compile(r"\t|\s{3,}|\u3000{2,}")
_FIRST_SENTENCE = re.compile(rf"([^。]{{4,{MAX_TITLE_CHARACTERS}}})。(?=.)")
_BRACKET = re.compile(r"\s{0,3}[(（][^()（）]*+$")
_OTHER_BLOCKS = frozenset(("fence", "code_block", "html_block"))  # of Markdown, whose lines are no headings
# Headings are blocks; parsing what is inside them takes quadratic time.
_MARKDOWN = MarkdownIt("commonmark").disable("inline")


def document_headings(name: str, lines: Sequence[str], text: str) -> tuple[str, list[Head], int]:
    """The title of a document, its headings in order, and the line at which its text begins."""
    if is_table_file(name):
        return table_title(name, lines), [], 0
    is_markdown = name.lower().endswith(".md")
    tokens = _MARKDOWN.parse(text) if is_markdown else []
    written = list(_markdown_headings(tokens))
    added = _added_headings(lines, tokens, written)
    if written:
        texts = [head.text for head in written if head.text]
        titles = [head.text for head in written if head.text and head.level == 1]
        title = next(iter(titles or texts), "") or _first_line(name, lines)
        return title, _in_order(written, added), 0
    if added:
        return _title_above(name, lines, added)
    return _first_line(name, lines), [], _below_title(name, lines)


def _below_title(name: str, lines: Sequence[str]) -> int:
    """The line at which a text without headings begins: below its title, if that stands above a blank line."""
    first = next((place for place, line in enumerate(lines) if line.strip()), 0)
    is_title = lines[first + 1 : first + 2] == [""] and is_title_like(lines[first]) and not _is_row(lines[first])
    has_text = any(line.strip() for line in lines[first + 2 :])
    return first + 2 if is_title and has_text else 0


def _in_order(written: Sequence[Head], added: Sequence[Head]) -> list[Head]:
    """All headings; a question that is a heading of Markdown keeps that one's level."""
    levels = {head.first: head.level for head in written}
    replaced = {head.first for head in added}
    same = [head._replace(level=levels.get(head.first, head.level)) for head in added]
    return sorted([*(head for head in written if head.first not in replaced), *same])


def _added_headings(lines: Sequence[str], tokens: Sequence[Token], written: Sequence[Head]) -> list[Head]:
    """The headings that Markdown does not mark; [] if there are too many for one document."""
    used_lines = {place for place, line in enumerate(lines) if is_table_line(line)}
    for token in tokens:
        if token.type in _OTHER_BLOCKS and token.map:
            used_lines.update(range(*token.map))
    questions = question_headings(lines, used_lines)
    heads = {place for head in (*written, *questions) for place in range(head.first, head.after)}
    notices = notice_headings(lines, {*used_lines, *heads}, heads)
    dated = {head.first for head in notices}
    is_written = any(head.level > 1 for head in written)
    level = _PLAIN_LEVEL if is_written else 2
    plain = plain_headings(lines, {*used_lines, *heads, *dated}, is_written, level)
    whole = {head.first for head in (*questions, *notices)}
    topics = topic_headings(lines, used_lines, [*written, *questions, *notices, *plain], _TOPIC_LEVEL, whole)
    found = [*questions, *notices, *plain, *topics]
    return sorted(found) if len(found) <= MAX_HEADINGS else []


def _markdown_headings(tokens: Sequence[Token]) -> Iterator[Head]:
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open" and opening.map and opening.level == 0:
            text = inline.content.strip()
            if opening.markup.startswith("#") or ("\n" not in text and len(text) <= MAX_UNDERLINED_CHARACTERS):
                yield Head(opening.map[0], opening.map[1], int(opening.tag[1:]), text)


def _title_above(name: str, lines: Sequence[str], heads: list[Head]) -> tuple[str, list[Head], int]:
    """The title above headings of plain text: the first heading if bare, else title-like first lines, or the file's name."""
    first = next(place for place, line in enumerate(lines) if line.strip() and not is_rule_line(line))
    head = heads[0]
    following = heads[1].first if len(heads) > 1 else len(lines)
    is_bare = not head.rest_of_line and not any(line.strip() for line in lines[head.after : following])
    if head.first <= first and (is_bare or all(head.level < other.level < NOTICE_LEVEL for other in heads[1:])):
        below, title, start = heads[1:], head.text, head.after
        while below and title.isupper() and below[0].text.isupper() and below[0].first == start:
            title, start, below = f"{title} {below[0].text}", below[0].after, below[1:]  # a title in two lines
        return title[:MAX_TITLE_CHARACTERS], below, start
    plain = without_decoration(lines[first])
    if named := _line_of_name(name, lines[first : min(head.first, first + MAX_TITLE_BLOCK_LINES)]):
        return _title_of_line(named), heads, first
    if head.first > first and is_title_like(plain):
        end = first + 1
        while end < head.first and plain.isupper() and lines[end].strip().isupper() and is_title_like(lines[end]):
            plain, end = f"{plain} {lines[end].strip()}", end + 1  # a title in two lines
        while end < head.first and is_rule_line(lines[end]):
            end += 1
        return plain[:MAX_TITLE_CHARACTERS], heads, end
    if name.lower().endswith(".md") or head.first <= first:
        return _stem(name), heads, 0
    return _title_of_line(lines[first]), heads, 0


def _line_of_name(name: str, block: Sequence[str]) -> str:
    """The line below a letterhead with the words of the file's name; "" if no line or the first one has such words."""
    words = set(content_words(re.sub(r"[\W\d_]+", " ", _stem(name))))
    shared = [len(words & set(content_words(line))) for line in block]
    best = max(shared, default=0)
    return block[shared.index(best)].strip() if best and not shared[0] else ""


def _title_of_line(line: str) -> str:
    """A first line as a title, up to a gap in it; a long one ends before a bracket or between words."""
    text = _GAP.split(line.strip())[0]
    if len(text) <= MAX_TITLE_CHARACTERS:
        return text
    if (first := _FIRST_SENTENCE.match(text)) and is_title_like(first[1]):
        return first[1]
    if script(text) != "en":
        return f"{first_words(text)}…"
    cut = text[:MAX_TITLE_CHARACTERS]
    before = _BRACKET.split(cut)[0] if _BRACKET.search(cut) else cut.rpartition(" ")[0]
    return before.rstrip(" -–—:,;") if len(before) > MAX_TITLE_CHARACTERS // 3 else cut


def _stem(name: str) -> str:
    """The name of a file without its ending."""
    return name.rsplit(".", 1)[0]


def _is_row(line: str) -> bool:
    """Whether a line is a row of cells; a comma in a title has a space behind it."""
    commas = line.count(",") - line.count(", ")
    return max(commas, line.count("|"), line.count("\t")) >= MIN_CELL_SIGNS


def _first_line(name: str, lines: Sequence[str]) -> str:
    """The title of a document without headings: the first line, or the file's name for Markdown and above a table."""
    line = next((line.strip() for line in lines if line.strip()), name)
    if is_table_line(line) or _is_row(line) or (name.lower().endswith(".md") and not _below_title(name, lines)):
        return _stem(name)
    return _title_of_line(line)
