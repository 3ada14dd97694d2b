"""The fitted model: small decision trees whose leaves add up to the log odds that people call an answer right."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("correctness.toml")
Tree = Callable[[Mapping[str, float]], float]
_TOKEN = re.compile(r"[()?:]|<=|[a-z_]+|-?\d+(?:\.\d+)?(?:e-?\d+)?")


def chance(measured: Mapping[str, float]) -> float:
    """The chance (0 to 1) that a person would call the answer right; raises KeyError where a measure is lacking."""
    bias, trees = _forest()
    odds = bias + math.fsum(tree(measured) for tree in trees)
    return 1 / (1 + math.exp(-odds))


def tree_of(text: str) -> Tree:
    """A tree from its text: `held <= 0.5 ? (date <= 0.2 ? -0.3 : 0.1) : 0.4`."""
    return _grown(_TOKEN.findall(text)[::-1])


def _grown(rest: list[str]) -> Tree:
    """The tree at the head of the tokens (a stack), which are taken off."""
    token = rest.pop()
    if token == "(":
        tree = _grown(rest)
        rest.pop()  # )
        return tree
    if not token[0].isalpha():
        value = float(token)
        return lambda measured: value
    rest.pop()  # <=
    bound = float(rest.pop())
    rest.pop()  # ?
    low = _grown(rest)
    rest.pop()  # :
    high = _grown(rest)
    return lambda measured: (low if measured[token] <= bound else high)(measured)


@cache
def _forest() -> tuple[float, tuple[Tree, ...]]:
    stored: dict[str, Any] = tomllib.loads(FILE.read_text("utf-8"))
    return float(stored["bias"]), tuple(map(tree_of, stored["trees"]))
