"""Headings as people name what they are about, without their parents or "guide" at the end, and as judges see them."""

from __future__ import annotations

import re

_TITLE_TAIL = re.compile(
    r"(?:・[^・]{1,12})?(?:の|に関する|についての)?(?:ご?利用|取扱い?|運用|申請|社内)?"
    r"(?:の?手引き?|ガイド(?:ライン|ブック)?|規程|規則|ご?案内|マニュアル|ルール|について|一覧|早見表)$"
)


def last_heading(heading: str) -> str:
    """A heading without its parents."""
    return heading.rsplit(" › ", 1)[-1]


def short_title(title: str) -> str:
    """A document's title without words such as 手引き or ガイド at its end."""
    shorter = _TITLE_TAIL.sub("", title).strip(" 　の・")
    return shorter if len(shorter) >= 2 else title


def with_heading(title: str, heading: str, text: str) -> str:
    """A passage as judges see it: its headings above it; what an external bot saw may have none of them."""
    head = " › ".join(name for name in (title, heading) if name)
    return f"{head}\n{text}" if head else text
