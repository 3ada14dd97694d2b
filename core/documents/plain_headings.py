"""Headings of plain text, without `#`: short lines in a recurring style, without a full stop and with text below.

A style (■ …, 【…】, 第3条(…), a number, capitals …) is accepted or not for the whole document, since a wrong heading tears
a list or a procedure apart.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from core.text.english import base_form
from core.text.markdown import is_table_line
from core.text.numbers import han_value


class Head(NamedTuple):
    """A heading of a document."""

    first: int  # its first line
    after: int  # the line after it
    level: int
    text: str
    rest_of_line: str = ""  # text that follows it on its line


class _Candidate(NamedTuple):
    """A line that may be a heading."""

    head: Head
    style: str  # by which lines of the same kind are found, such as "framed 【"
    number: tuple[int, ...] = ()  # its place in a numbering; () without one


MAX_CHARACTERS = 200  # characters of a heading; a longer line is none
MAX_MARKED_WIDTH = 100  # width of a heading with a mark (a Japanese letter counts as two)
MAX_UNMARKED_WIDTH = 60  # the same, of a heading that only has a number, capitals or blank lines around it
MAX_FIRST_LINE_WIDTH = 50  # the same, if the next line follows without a blank one
# Mean characters below numbered lines from which these are headings: without and with blank lines above them.
MIN_BELOW_CLOSE_NUMBERS = 80
MIN_BELOW_NUMBERS = 30
MIN_SHARE_WITH_TEXT = 0.7  # share of the headings of a style that have text below them
MIN_SHARE_HEADINGS = 0.75  # share of the lines with a mark that look like headings; else they are items of lists
STEPS_SHARE = 1 / 3  # share of numbered lines that are instructions, from which they are the steps of a procedure

_RULE = re.compile(r"\s*([=\-_━─―＝~～*＊])\1{2,}\s*")
_FRAMED = re.compile(
    r"(?:【(?P<a>.+)】|〔(?P<b>.+)〕|《(?P<c>.+)》|≪(?P<d>.+)≫|＜(?P<e>.+)＞|［(?P<f>.+)］"
    r"|(?P<rule>[=\-*~＝─━]{2,})\s*(?P<g>[^\s=\-*~＝─━].*?)(?<!\s)\s*+(?P=rule))"
)
_MARKED = re.compile(r"(?P<mark>[■□◆◇●○◎▼▽▶►★☆▲△◾◼❖]{1,2}|#{1,6}(?=\s))\s*(?P<text>\S.*)")
_BOLD = re.compile(r"(?P<bold>\*\*|__)(?P<text>[^*_].*?)(?P=bold)[:：]?")
_ARTICLE = re.compile(
    r"(?P<name>第\s*(?P<number>[0-9０-９]{1,3}|[一二三四五六七八九十百]{1,4})\s*(?P<unit>[編部章節款条])(?:の[0-9０-９一二三四五六七八九十]{1,2})?)"
    r"(?:\s*(?P<subject>[(（【](?:[^()（）【】]|[(（][^()（）【】]*[)）]){1,60}[)）】]))?(?:(?<=[)）】])|(?=[\s:：])|$)[\s:：]*(?P<rest_of_line>.*)"
)
_CHAPTER = re.compile(
    r"(?P<unit>(?i:chapter|section|article|part|appendix|annex|schedule))\s+(?:[0-9]{1,3}|[IVX]{1,4}|[A-Z])(?P<rest>[.:)]?(?:\s.*)?)"
)
_NUMBERED = re.compile(
    r"(?P<open>[(（]?)(?P<number>[0-9０-９]{1,2}(?:[.．\-－][0-9０-９]{1,2}){0,3}|[①-⑳]|[Ⅰ-Ⅻ]|[一二三四五六七八九十]{1,3})"
    r"(?P<close>[.．)）、:：]|(?=\s)|(?<=[①-⑳Ⅰ-Ⅻ]))(?P<text>\s*[^\s\d０-９].*|(?<!\d)\s+[\d０-９].*)"
)
_COLON = re.compile(r"(?P<text>[^:：]{2,})[:：]")
_ENDS_SENTENCE = re.compile(r"[。．.!！、,;；…]$")
_ENDS_BODY = re.compile(r"[。．.!！?？)）」]$")
_ITEM = re.compile(r"\s*(?:[-*+・･•‣◦→⇒※>|]|\d+[.)．）]|[a-z][.)]\s|[(（]\d+[)）])")
_VALUE = re.compile(r"[:：]\s*\S|\t|\s{3,}|　{2,}|@|https?:|\d{2}[-‐–]\d{2}")
_CELLS = re.compile(r"\t|\s{3,}|　{2,}|@|https?:")
_PRICE = re.compile(r"[\d,]{2}\s*円|[£$€]\s*\d")
_LABELS = frozenset(
    ["note", "notes", "important", "warning", "tip", "example", "注意", "注", "重要", "補足", "例", "備考", "ポイント"]
)
_TELLS_TO = re.compile(r"(?:ます|ません|ください|下さい|[うくすつぬむるぐぶ])[)）]?$")
_ANNOUNCES_STEPS = re.compile(
    r"[:：]$|手順|流れ|方法|しかた|仕方|次の|以下|ステップ|(?i:\bsteps?\b|\bhow to\b|\bfollow|\bprocedure)"
)
_TITLE_OF_STEPS = re.compile(r"[:：]$|手順|流れ|ステップ|(?i:\bsteps\b|\bprocedure)")
_OBJECT = re.compile(r"the|a|an|your|it|this|that|these|on|off|to|out|up|in|into|any|all|each|us|and")


def is_rule_line(line: str) -> bool:
    """Whether a line is nothing but a rule: ====, ----, ━━━━."""
    return bool(_RULE.fullmatch(line))


def without_decoration(line: str) -> str:
    """A heading's words without its marks: 【面会】, ■ 面会, **面会** → 面会."""
    text = line.strip()
    if len(text) > MAX_CHARACTERS:
        return text
    if found := _FRAMED.fullmatch(text):
        text = next(filter(None, (found[name] for name in "abcdefg"))).strip()
    elif found := _MARKED.fullmatch(text):
        text = found["text"].strip()
    if found := _BOLD.fullmatch(text):
        text = found["text"].strip()
    return text


def width(text: str) -> int:
    """The width of a text in print: a Japanese letter is as wide as two Latin ones."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def is_title_like(line: str) -> bool:
    """Whether a line may be a title: short, no list item, no value after a colon, no full stop at its end."""
    text = line.strip()
    if len(text) > MAX_UNMARKED_WIDTH or width(text) > MAX_UNMARKED_WIDTH or not re.search(r"[^\W\d_]", text):
        return False
    is_other = _ENDS_SENTENCE.search(text) or _ITEM.match(text) or _VALUE.search(text) or _PRICE.search(text)
    return not (is_other or is_table_line(line))


def plain_headings(lines: Sequence[str], used_lines: Collection[int], marked_only: bool, level: int) -> list[Head]:
    """The headings among some lines, in order; their levels begin with `level`, in the order in which styles appear.

    used_lines: lines that are something else (already a heading, a table, code)
    marked_only: whether to ignore numbers, capitals and blank lines, since the document has headings of another kind
    """
    by_style: defaultdict[str, list[_Candidate]] = defaultdict(list)
    for place, line in enumerate(lines):
        if place not in used_lines and line.strip() and (found := _candidate(lines, place)):
            by_style[found.style].append(found)
    accepted: dict[str, list[_Candidate]] = {}
    for style, candidates in by_style.items():
        if style.split()[0] in _MARKED_STYLES and _are_marked_headings(lines, candidates):
            accepted[style] = candidates
    if not marked_only:
        for style, candidates in by_style.items():
            if style.startswith("number") and _are_numbered_headings(lines, candidates):
                accepted[style] = candidates
        if "capitals" in by_style and _have_text(lines, by_style["capitals"], 2):
            accepted["capitals"] = by_style["capitals"]
        for style in ("colon", "alone", "first line"):
            if not accepted and style in by_style and _are_title_lines(lines, style, by_style[style]):
                accepted[style] = by_style[style]
    order = sorted(accepted, key=lambda style: accepted[style][0].head.first)
    levels = [(level + depth, candidate) for depth, style in enumerate(order) for candidate in accepted[style]]
    return sorted(candidate.head._replace(level=head_level) for head_level, candidate in levels)


_MARKED_STYLES = ("underlined", "framed", "mark", "bold", "article", "chapter")


def _below(lines: Sequence[str], candidates: Sequence[_Candidate]) -> list[list[str]]:
    """The lines below each candidate, up to the next one, that are not blank."""
    ends = [candidate.head.first for candidate in candidates[1:]] + [len(lines)]
    return [
        [
            *([candidate.head.rest_of_line] if candidate.head.rest_of_line else []),
            *(line for line in lines[candidate.head.after : end] if line.strip() and not is_rule_line(line)),
        ]
        for candidate, end in zip(candidates, ends, strict=True)
    ]


def _is_apart(lines: Sequence[str], place: int) -> bool:
    """Whether a line is the first, or is below a blank line or a rule."""
    return place == 0 or not lines[place - 1].strip() or is_rule_line(lines[place - 1])


def _line_above(lines: Sequence[str], place: int) -> str:
    """The nearest line above that is not blank."""
    above = (lines[other].strip() for other in range(place - 1, -1, -1))
    return next(filter(None, above), "")


def _candidate(lines: Sequence[str], place: int) -> _Candidate | None:
    """The heading that a line may be, by the first style that fits; None if none fits."""
    line = lines[place].strip()
    if len(line) > MAX_CHARACTERS and not line.startswith("第"):
        return None
    short = width(line) <= MAX_MARKED_WIDTH and not _ENDS_SENTENCE.search(line)
    for style in (_underlined, _framed, _marked, _bold, _article, _chapter, _numbered):
        if found := style(lines, place, line, short):
            return found
    return _unmarked(lines, place, line) if short else None


def _head(place: int, text: str, lines: int = 1, rest_of_line: str = "") -> Head:
    return Head(place, place + lines, 0, " ".join(text.split()), rest_of_line.strip())


def _underlined(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    rule = _RULE.fullmatch(lines[place + 1]) if place + 1 < len(lines) else None
    above = lines[place - 1] if place else ""
    framed = bool(place and is_rule_line(above))
    if not rule or not short or (above.strip() and not framed) or is_rule_line(line) or _ITEM.match(line):
        return None
    head = _head(place, without_decoration(line), 2)
    return _Candidate(head._replace(first=place - 1) if framed else head, f"underlined {rule[1]}")


def _framed(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    found = _FRAMED.fullmatch(line) if short else None
    return _Candidate(_head(place, without_decoration(line)), f"framed {line[0]}") if found else None


def _marked(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    """A line with a mark; without text if it is long or ends like a sentence, which shows that the mark is a bullet."""
    if not (found := _MARKED.fullmatch(line)):
        return None
    return _Candidate(_head(place, without_decoration(line).rstrip(":：") if short else ""), f"mark {found['mark']}")


def _bold(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    found = _BOLD.fullmatch(line) if width(line) <= MAX_MARKED_WIDTH else None
    text = found["text"].strip().rstrip(":：") if found else ""
    if not text or "**" in text or text.lower() in _LABELS or _ENDS_SENTENCE.search(text):
        return None
    return _Candidate(_head(place, text), "bold")


def _article(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    """第3条(…), with the rest of its line: a name of its own, or already its text."""
    if not (found := _ARTICLE.fullmatch(line)):
        return None
    name, rest_of_line = f"{found['name']}{found['subject'] or ''}", found["rest_of_line"].strip()
    if rest_of_line and short and not found["subject"] and width(rest_of_line) <= MAX_UNMARKED_WIDTH:
        return _Candidate(_head(place, f"{name} {rest_of_line}"), f"article {found['unit']}")
    return _Candidate(_head(place, name, rest_of_line=rest_of_line), f"article {found['unit']}")


def _chapter(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    found = _CHAPTER.fullmatch(line) if short else None
    return _Candidate(_head(place, line), f"chapter {found['unit'].lower()}") if found else None


def _numbered(lines: Sequence[str], place: int, line: str, short: bool) -> _Candidate | None:
    """A line with a number; one that is no heading by its length or end has no text: it shows that this is a list."""
    if not (found := _NUMBERED.fullmatch(without_decoration(line))):
        return None
    number = tuple(_number(part) for part in re.split(r"[.．\-－]", found["number"]))
    form = f"{found['open']}{found['close']}{'一' if found['number'][0] in '一二三四五六七八九十' else ''}"
    is_heading = short and width(line) <= MAX_UNMARKED_WIDTH + 20 and not _CELLS.search(found["text"])
    text = without_decoration(line).rstrip(":：") if is_heading else ""
    return _Candidate(_head(place, text), f"number {len(number)} {unicodedata.normalize('NFKC', form)}", number)


def _number(text: str) -> int:
    """The value of 12, １２, ⑫, Ⅻ or 十二; 0 for other texts."""
    if text[0] in "一二三四五六七八九十":
        return int(han_value(text))
    value = unicodedata.numeric(text) if len(text) == 1 else int(unicodedata.normalize("NFKC", text))
    return int(value)


def _unmarked(lines: Sequence[str], place: int, line: str) -> _Candidate | None:
    """A line in capitals, one with a colon at its end, or a short one below a blank line."""
    if width(line) > MAX_MARKED_WIDTH or _ITEM.match(line):
        return None
    letters = re.findall(r"[A-Za-z]", line)
    if len(letters) >= 4 and line == line.upper() and len(letters) >= 0.6 * len(re.sub(r"\s", "", line)):
        return _Candidate(_head(place, line.rstrip(":")), "capitals")
    if (place and lines[place - 1].strip()) or width(line) > MAX_UNMARKED_WIDTH:
        return None
    if found := _COLON.fullmatch(line):
        few = len(line.split()) <= 5 and width(line) <= MAX_FIRST_LINE_WIDTH
        return _Candidate(_head(place, found["text"]), "colon") if few else None
    if not is_title_like(line) or place + 1 >= len(lines):
        return None
    if not lines[place + 1].strip():
        return _Candidate(_head(place, line), "alone")
    return _Candidate(_head(place, line), "first line") if width(line) <= MAX_FIRST_LINE_WIDTH else None


def _have_text(lines: Sequence[str], candidates: Sequence[_Candidate], least: int) -> bool:
    """Whether there are enough candidates, and most have text below them, not counting the title at the top."""
    if len(candidates) < least:
        return False
    below = _below(lines, candidates)
    counted = below[1:] if len(below) > 2 and not _line_above(lines, candidates[0].head.first) else below
    return sum(map(bool, below)) >= MIN_SHARE_WITH_TEXT * len(counted) > 0


def _are_marked_headings(lines: Sequence[str], candidates: list[_Candidate]) -> bool:
    """Whether lines with a mark are headings; a few that cannot be are removed."""
    headings = [candidate for candidate in candidates if candidate.head.text]
    least = 1 if candidates[0].style.startswith("underlined") else 2
    if len(headings) < MIN_SHARE_HEADINGS * len(candidates) or not _have_text(lines, headings, least):
        return False
    if candidates[0].style.startswith("mark") and all(
        below[0][:1].isspace() and not below[0].startswith("　") for below in _below(lines, headings) if below
    ):
        return False  # an item that goes on in the next line
    candidates[:] = headings
    return True


def _are_numbered_headings(lines: Sequence[str], candidates: list[_Candidate]) -> bool:
    """Whether numbered lines are headings, not the steps of a procedure or the items of a list.

    Lists within the sections are removed: lines that do not continue the numbering from heading to heading, each below
    a blank line; in a document without blank lines, items that follow each other.
    """
    apart = [candidate for candidate in candidates if _is_apart(lines, candidate.head.first)]
    if len(candidates[0].number) == 1 and len(apart) > 1:
        headings = _counting_on([*([candidates[0]] if candidates[0] not in apart else []), *apart])
        least = MIN_BELOW_NUMBERS
    else:
        headings = [candidate for run in _runs(candidates) if len(run) == 1 for candidate in run]
        least = MIN_BELOW_CLOSE_NUMBERS
    if any(not candidate.head.text for candidate in headings) or not _have_text(lines, headings, 2):
        return False
    numbers = [candidate.number for candidate in headings]
    rising = all(one < two for one, two in itertools.pairwise(numbers))
    gaps = len(numbers[0]) == 1 and (numbers[0][0] > 1 or numbers[-1][0] - numbers[0][0] > len(numbers))
    if not rising or gaps or (len(numbers[0]) == 1 and _announces_steps(lines, headings[0])):
        return False
    below = _below(lines, headings)
    indented = all(part[0].startswith(("  ", "\t")) for part in below if part)
    instructions = sum(_tells_to_do(candidate.head.text) for candidate in headings)
    if indented or instructions >= STEPS_SHARE * len(headings):
        return False
    candidates[:] = headings
    return sum(len("".join(part)) for part in below) >= least * len(below)


def _counting_on(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The lines that continue the numbering from the first one; [] if another may be a heading, too."""
    chain = [candidates[0]]
    for candidate in candidates[1:]:
        if candidate.number[0] == chain[-1].number[0] + 1:
            chain.append(candidate)
        elif candidate.head.text:
            return []
    return chain


def _runs(candidates: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """Numbered lines that follow each other without anything in between, counting on."""
    found: list[list[_Candidate]] = []
    for candidate in candidates:
        before = found[-1][-1] if found else None
        if before and before.head.after == candidate.head.first and before.number < candidate.number:
            found[-1].append(candidate)
        else:
            found.append([candidate])
    return found


def _announces_steps(lines: Sequence[str], candidate: _Candidate) -> bool:
    """Whether the line above announces steps; a title does so in fewer words ("How to cancel" may head sections)."""
    above = _line_above(lines, candidate.head.first)
    is_title = not _line_above(lines, next((n for n, line in enumerate(lines) if line.strip() == above), 0))
    return bool((_TITLE_OF_STEPS if is_title else _ANNOUNCES_STEPS).search(above))


def _tells_to_do(text: str) -> bool:
    """Whether a numbered line is an instruction: "Open the lid", 電源を切る."""
    words = re.findall(r"[A-Za-z']+", text)
    if re.search(r"[぀-ヿ]$", text.rstrip(")） ")):
        return bool(_TELLS_TO.search(text))
    return len(words) > 1 and bool(_OBJECT.fullmatch(words[1].lower())) and base_form(words[0]) == words[0].lower()


def _are_title_lines(lines: Sequence[str], style: str, candidates: list[_Candidate]) -> bool:
    """Whether short lines below blank ones are headings: each has longer text below it, most of it whole sentences."""
    if style != "colon":
        candidates[:] = candidates[not _line_above(lines, candidates[0].head.first) :]  # the first is the title
    if len(candidates) < (3 if style == "first line" else 2):
        return False
    below = _below(lines, candidates)
    if not all(below):
        return False
    ending = sum(bool(_ENDS_BODY.search(part[-1].strip())) for part in below) / len(below)
    pairs = zip(candidates, below, strict=True)
    longer = sum(max(map(width, part)) > 1.2 * width(one.head.text) for one, part in pairs) / len(below)
    if style == "first line" and not _head_most_blocks(lines, len(candidates)):
        return False
    return ending >= 0.6 and longer >= 0.8


def _head_most_blocks(lines: Sequence[str], count: int) -> bool:
    """Whether most runs of lines between blank ones begin with a heading."""
    places = range(1, len(lines))
    blocks = sum(bool(lines[place].strip()) and not lines[place - 1].strip() for place in places)
    return count >= 0.5 * blocks
