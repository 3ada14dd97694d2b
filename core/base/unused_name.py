"""Unused and duplicate names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable


def unused_name(name: str, used: Collection[str], mark: str) -> str:
    """The name if it is free, else with the first free number from 2.

    mark: format of the number, such as "-{}"
    """
    unused, number = name, 1
    while unused in used:
        number += 1
        unused = name + mark.format(number)
    return unused


def first_duplicate(names: Iterable[str]) -> str:
    """The first name that is used more than once, else ""."""
    return next((name for name, count in Counter(names).items() if count > 1), "")
