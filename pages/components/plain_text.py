"""Text of a person or a model, shown letter by letter: never as Markdown, HTML, formula, icon or picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from core.base.clean_text import shorten

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&=^:])")


# Where Streamlit makes icons, pictures and links of text after all escapes: :home:, :100:, www.a.b, a@b.c, http://a.
# The letter caught here goes into an emphasis of its own, which shows as nothing (see _STYLE) and parts the word.
_PARTED = re.compile(
    r"(?<=:)([A-Za-z])|(?<=:)(\d)(?=\d+:)|(?<=:[+-])(\d)|(?<=ww)(w)(?=\.)|(?<=ttp)(s)(?=://)|(?<=htt)(p)(?=://)|(?<=@)([A-Za-z0-9])|(?<=@[-_])([A-Za-z0-9])",
    re.IGNORECASE,
)


_ADDRESS = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9_~%./?#&=+-]*[A-Za-z0-9_~%/=])?)")


_TURNS = dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c") | dict.fromkeys("\u2066\u2067\u2068", "\u2069")


def plain(text: object, links: bool = True) -> str:
    """Text of a person or a model as Markdown that shows it letter by letter: no formula, icon, colour, picture or HTML.

    A whole web address can be clicked (unless `links` is off); what it leads to is what it says.
    """
    parts = _ADDRESS.split(_closed(str(text))) if links else [_closed(str(text))]
    shown = "".join(f"<{part}>" if place % 2 else _escaped(part) for place, part in enumerate(parts))
    return re.sub(r"\n", "  \n", shown)


def _closed(text: str) -> str:
    """The text with every change of direction that it opens ended at its end, so that the text after it is not affected."""
    opened, waiting = list[str](), Counter[str]()
    for letter in text:
        if letter in _TURNS:
            opened.append(_TURNS[letter])
            waiting[_TURNS[letter]] += 1
        elif waiting.get(letter):  # it ends the last one of its kind, and all that came after that
            ended = ""
            while ended != letter:
                ended = opened.pop()
                waiting[ended] -= 1
    return text + "".join(reversed(opened))


def _escaped(text: str) -> str:
    """Every mark of Markdown made harmless; spaces that would vanish are kept as ones that do not break."""
    text = re.sub(r"^[ \t]+|(?<= ) +", lambda spaces: "\u00a0" * len(spaces[0].expandtabs(4)), text, flags=re.MULTILINE)
    return "".join(
        f"*{part}*" if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(_letters(text))
    )


def _letters(text: str) -> list[str]:
    """The text cut at the letters of _PARTED, which have the odd places."""
    parts, end = list[str](), 0
    for match in _PARTED.finditer(text):
        parts += [text[end : match.start()], match[0]]
        end = match.end()
    return [*parts, text[end:]]


def markdown_table(*rows: Sequence[str], rule: Sequence[str] = ()) -> str:
    """Cells (as Markdown) as a table, the first row its head. rule: how each column is aligned, "---:" for to the right."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule or ["---"] * len(head), *body))


def line(text: object, longest: int = 80) -> str:
    """`plain` on one line, cut with an ellipsis."""
    return plain(shorten(str(text), longest), links=False)
