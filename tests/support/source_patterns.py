"""The regular expressions of the program, and texts that are hostile to each of them."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from re import _constants as codes  # the parser is the only one that knows what a pattern repeats
from re import _parser as parser
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
LONG = 20  # repeats from which a pattern may read much
_ANYWHERE = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
_SIGNS = "1aZ .,'\"-_/:([「あア漢😀#|*\n\t?<"


class SourcePattern(NamedTuple):
    """A pattern, where it is written, and whether it is tried at every place of a text or at its start alone."""

    where: str
    pattern: re.Pattern[str]
    anywhere: bool


@cache
def source_patterns() -> tuple[SourcePattern, ...]:
    """Every pattern of core/ and pages/ that is written as a literal or held by a module, each once."""
    found: dict[tuple[str, int, bool], SourcePattern] = {}
    for file in sorted([*ROOT.glob("core/**/*.py"), *ROOT.glob("pages/**/*.py")]):
        for one in _of_file(file):
            found.setdefault((one.pattern.pattern, one.pattern.flags, one.anywhere), one)
    return tuple(found.values())


def _of_file(file: Path) -> Iterator[SourcePattern]:
    name = file.relative_to(ROOT).as_posix()
    tree = ast.parse(file.read_text("utf-8"))
    used = _methods_by_name(tree)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        of, first = node.func.value, node.args[0]
        if (
            isinstance(of, ast.Name)
            and of.id == "re"
            and isinstance(first, ast.Constant)
            and isinstance(first.value, str)
        ):
            flags = sum({_flag(each) for each in ast.walk(node) if isinstance(each, ast.Attribute)})
            anywhere = node.func.attr in _ANYWHERE
            if anywhere or node.func.attr in ("match", "fullmatch"):
                yield SourcePattern(f"{name}:{node.lineno}", re.compile(first.value, flags), anywhere)
    if name.startswith("core/") and "migrations" not in name and "__main__" not in name:
        module = importlib.import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        for attribute, value in list(vars(module).items()):
            if callable(value) and hasattr(value, "cache_info") and value.__module__ == module.__name__:
                value = _called(value)
            methods = used.get(attribute, set())
            for pattern in _patterns_in(value):
                yield SourcePattern(f"{name} {attribute}", pattern, not methods or bool(methods & _ANYWHERE))


def _flag(node: ast.Attribute) -> int:
    is_flag = isinstance(node.value, ast.Name) and node.value.id == "re" and node.attr.isupper()
    return int(getattr(re, node.attr)) if is_flag else 0


def _methods_by_name(tree: ast.AST) -> dict[str, set[str]]:
    """The methods that are called on each name of a module; nothing for a name that is used in another way, too."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, set()).add(node.attr)
    return found


def _called(function: Any) -> object:
    try:
        return function()
    except TypeError:  # it takes arguments
        return None


def _patterns_in(value: object, depth: int = 4) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif isinstance(value, dict) and depth:
        for one in value.values():
            yield from _patterns_in(one, depth - 1)
    elif isinstance(value, tuple | list) and depth:
        for one in value:
            yield from _patterns_in(one, depth - 1)


def hostile_texts(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """Texts of about `length` that repeat what the pattern repeats, with what it wants before it, and end otherwise."""
    seen: set[tuple[str, str, str]] = set()
    for before, unit in _repeats(parser.parse(pattern.pattern, pattern.flags), ""):
        for sign in _fitting(unit, pattern.flags):
            for whole in (
                (before, sign),
                ("", sign),
                ("", before + sign),
                ("", before + 9 * sign),
                ("", before + sign + " "),
            ):
                if not whole[1].strip("\0") or (*whole, "") in seen:
                    continue
                seen.add((*whole, ""))
                head, body = whole
                yield head + (body * (length // len(body) + 1))[:length] + "\0漢"


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, Any]]:
    """(a text that leads to it, the repeated part) of every long repeat."""
    for operation, value in tree:
        if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            _, most, part = value
            if most >= LONG:
                yield before, part
            yield from _repeats(part, before)
        elif operation is codes.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, before)
        elif operation is codes.SUBPATTERN:
            yield from _repeats(value[3], before)
        elif operation is codes.ATOMIC_GROUP:
            yield from _repeats(value, before)
        elif operation in (codes.ASSERT, codes.ASSERT_NOT) and value[0] > 0:
            yield from _repeats(value[1], before)
        before += _example([(operation, value)])


def _example(tree: Any) -> str:
    """A short text that (nearly always) fits."""
    text = ""
    for operation, value in tree:
        if operation is codes.LITERAL:
            text += chr(value)
        elif operation in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            text += _example(value[2]) * max(value[0], min(value[1], 1))
        elif operation is codes.BRANCH:
            text += _example(value[1][0])
        elif operation is codes.SUBPATTERN:
            text += _example(value[3])
        elif operation is codes.ATOMIC_GROUP:
            text += _example(value)
        elif operation is codes.IN:
            text += next((sign for sign in _candidates(value) if _fits(value, sign)), "")
        elif operation is codes.NOT_LITERAL:
            text += "a" if value != ord("a") else "b"
        elif operation is codes.ANY:
            text += "a"
    return text


def _fitting(part: Any, flags: int) -> list[str]:
    """Signs, and an example, that the repeated part takes."""
    flat = list(part)
    if len(flat) == 1 and flat[0][0] in (codes.IN, codes.NOT_LITERAL, codes.ANY, codes.LITERAL):
        operation, value = flat[0]
        if operation is codes.LITERAL:
            return [chr(value)]
        if operation is codes.IN:
            return [sign for sign in _candidates(value) if _fits(value, sign)]
        return list(_SIGNS)
    return [text for text in (_example(flat), *_fitting_inside(flat)) if text]


def _fitting_inside(tree: list[Any]) -> list[str]:
    return [_example(branch) for operation, value in tree if operation is codes.BRANCH for branch in value[1]]


def _candidates(members: Any) -> list[str]:
    own = [chr(value) for operation, value in members if operation is codes.LITERAL]
    own += [chr(value[0]) for operation, value in members if operation is codes.RANGE]
    return list(dict.fromkeys([*own[:6], *_SIGNS]))


def _fits(members: Any, sign: str) -> bool:
    source = {
        codes.CATEGORY_DIGIT: r"\d",
        codes.CATEGORY_NOT_DIGIT: r"\D",
        codes.CATEGORY_SPACE: r"\s",
        codes.CATEGORY_NOT_SPACE: r"\S",
        codes.CATEGORY_WORD: r"\w",
        codes.CATEGORY_NOT_WORD: r"\W",
    }
    found = negated = False
    for operation, value in members:
        if operation is codes.NEGATE:
            negated = True
        elif operation is codes.LITERAL:
            found |= ord(sign) == value
        elif operation is codes.RANGE:
            found |= value[0] <= ord(sign) <= value[1]
        elif operation is codes.CATEGORY:
            found |= re.match(source[value], sign) is not None
    return found != negated
