"""The section that says how to reach the organisation: whom a bot without contacts of its own names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.base.types import Hit, Passage, Topic
from core.bot.section_choices import section_choices
from core.documents.heading_names import last_heading

_HEADING = re.compile(
    r"問い?合わ?せ|連絡先|(?:相談|受付|総合|担当|サポート|デスクの)窓口|^窓口|ご相談|電話番号|(?:人|担当者|オペレーター)(?:と|に)(?:話|相談|つな)"
    r"|^contacts?\b|\bcontact (?:us|details|information)|\b(?:how|where|whom?) to (?:contact|reach|ask)|\bget(?:ting)? in touch"
    r"|\bcustomer (?:service|care|support)\b|\bask us\b"
    r"|\b(?:reach|(?:speak|talk) (?:to|with)) (?:us|someone|somebody|support|an? (?:human|person|agent|adviser))\b",
    re.IGNORECASE,
)
_REACH = re.compile(
    r"(?<![\w.+-])[\w.+-]++@[\w.-]++|(?<!\d)\d{2,5}[-–‐ ]\d{2,4}[-–‐ ]\d{3,4}(?!\d)|(?<!\d)0120|内線\s{0,3}[:：]?\s{0,3}\d|\bext(?:ension|\.)?\s{0,3}\d"
    r"|電話|チャット|\b(?:phone|call|chat|email)\b",
    re.IGNORECASE,
)


def contact_section(passages: Sequence[Passage], topics: Sequence[Topic]) -> str:
    """The section, as a choice, that says how to reach the organisation; empty if the documents have none.

    Of several that of the document that is nearest to the message (`topics`, best first), else the one with the
    shortest heading.
    """
    headed = [one for one in passages if "…" not in last_heading(one.heading)]  # not the first words of a paragraph
    found = [one for one in headed if _HEADING.search(last_heading(one.heading)) and _REACH.search(one.text)]
    if not found:
        return ""
    near = [topic.document for topic in topics]
    best = min(found, key=lambda one: (_place(near, one.document), len(last_heading(one.heading))))
    return next(iter(section_choices([Hit(passage=best, score=0.0)])), "")


def _place(documents: Sequence[str], document: str) -> int:
    return documents.index(document) if document in documents else len(documents)
