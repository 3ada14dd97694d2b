"""The words of Japanese headings: a matter as a noun phrase for a question, an action that is a noun as a verb."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from core.datasets.document_questions.rules.rule_question import QuestionForms
from core.text.inflection import conditional, polite_stem, te_form, words


class Act(NamedTuple):
    """What somebody wants to do: the particle before the verb, and the verb in its forms (取る, 取れば, 取り, 取って)."""

    particle: str
    plain: str
    conditional: str
    stem: str
    te: str


@cache
def question_words() -> dict[str, Any]:
    """The tables of the file by their names."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def act(noun: str) -> Act:
    """A noun of action as a verb with its particle. For example 返却 gives を返す, 予約 gives を予約する."""
    particle, verb = question_words()["acts"].get(noun, ("を", ""))
    if not verb or verb.endswith("する"):
        return Act(particle, f"{noun}する", f"{noun}すれば", f"{noun}し", f"{noun}して")
    word = words(verb)[-1]
    before = verb.removesuffix(word.surface)
    return Act(
        particle, verb, before + conditional(word), before + polite_stem(word), before + te_form(word)
    )  # fmt: skip


def casual(text: str) -> str:
    """A text with the shorter words that people write."""
    for long, short in question_words()["casual"].items():
        text = text.replace(long, short)
    return text


def plain_matter(text: str) -> str:
    """A matter as people name it; "" if it is a list, or no plain noun phrase."""
    if re.search(r"[・、]|など|による|に関する|ごと", text) or len(text) > 20 or not text:
        return ""
    tokens = words(text)
    if tokens[-1].part not in ("名詞", "接尾辞", "記号", "補助記号"):
        return ""
    if re.search(r"[^の]と[^の]", text) and any(word.surface == "と" and word.part == "助詞" for word in tokens):
        return ""
    return text


def asks(kind: str, *ways: str, about: str = "", matter: bool = True) -> Callable[[re.Match[str]], list[QuestionForms]]:
    """Makes questions with the named groups of a heading in the ways; with `matter` none if `np` is no plain matter."""

    def made(found: re.Match[str]) -> list[QuestionForms]:
        if matter and not plain_matter(found["np"]):
            return []
        parts = found.groupdict()
        return [QuestionForms(kind, tuple(way.format_map(parts) for way in ways), about.format_map(parts))]

    return made


def with_particle(np: str, verb: Act) -> str:
    """A matter with the particle that the verb needs; its own particle if it has one (サーバーへの → サーバーに)."""
    for end, particle in (("への", "に"), ("からの", "から"), ("での", "で"), ("との", "と")):
        if np.endswith(end):
            return f"{np.removesuffix(end)}{particle}"
    return f"{np}{verb.particle}"


def without_particle(np: str) -> str:
    """A matter without への, での or the like at its end."""
    return re.sub(r"(?:への?|からの?|での?|との)$", "", np)


def is_received(np: str) -> bool:
    """Whether a matter is something that people are given."""
    return np.endswith(tuple(question_words()["lists"]["received"]))
