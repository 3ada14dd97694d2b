"""Values without the ending that they share: iOS版, Android版; Free plan, Plus plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

_SHORT_FORM = re.compile(r"[ァ-ヶー]{2,}|[A-Za-z][A-Za-z0-9]+")


def shared_ending_length(one: Sequence[str], two: Sequence[str]) -> int:
    """The number of items (words of a list, characters of a text) with which both end."""
    pairs = zip(reversed(one), reversed(two), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def is_short_form(text: str) -> bool:
    """Whether what is left of a value without its ending can stand for it: one word in Latin letters or katakana."""
    return bool(_SHORT_FORM.fullmatch(text))
