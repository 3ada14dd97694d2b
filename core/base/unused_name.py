"""A name that is not used yet."""

from __future__ import annotations

from collections.abc import Collection


def unused_name(name: str, used: Collection[str], mark: str) -> str:
    """The name if it is free, else with the first number from 2 that is; mark: how that is written, such as "-{}"."""
    unused, number = name, 1
    while unused in used:
        number += 1
        unused = name + mark.format(number)
    return unused
