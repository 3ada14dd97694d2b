"""The Japanese words of `question_words.toml`: how people say what documents name by a noun."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

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
    """A noun of action as a verb: 返却 is を返す, 予約 is を予約する."""
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


def choice(options: Sequence[str], key: str) -> str:
    """One of several ways to say something, always the same for the same key."""
    return options[zlib.crc32(key.encode()) % len(options)]
