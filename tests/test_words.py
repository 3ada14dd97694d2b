"""Every word of the pages is there, in both languages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from core.base.translate import filled
from pages.i18n.translate import words
from tests.proper_names import NAMES

ROOT = Path(__file__).resolve().parents[1]


def test_every_word_is_there_in_both_languages_with_the_same_holes() -> None:
    for key, both in words().items():
        assert set(both) == {"ja", "en"}, key
        assert all(text.strip() for text in both.values()), key
        if not key.startswith("errors."):
            holes = [sorted(set(re.findall(r"(?<!\{)\{(\w+)(?::\w[^{}]*)?\}", text))) for text in both.values()]
            assert holes[0] == holes[1], key


def test_japanese_words_are_japanese() -> None:
    for key, both in words().items():
        assert not re.search(
            r"[A-Za-z]{3}",
            NAMES.sub("", re.sub(r"\{\w+\}|question|kind|knowledge|@?judges?|Sample|How|async|needs", "", both["ja"])),
        ), key


def test_every_word_that_a_page_asks_for_is_there() -> None:
    for file in [
        *(ROOT / "pages").rglob("*.py"),
        ROOT / "app.py",
        *(ROOT / "core" / "report").glob("*.py"),
    ]:
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "say" and call.args:
                for part in ast.walk(call.args[0]):
                    if isinstance(part, ast.Constant) and re.fullmatch(r"[a-z]+\.[a-z_0-9]+[a-z0-9]", str(part.value)):
                        assert part.value in words(), (file.name, part.value)


def test_every_error_a_page_may_meet_has_words() -> None:
    for file in [file for file in (ROOT / "core").rglob("*.py") if file.parent.name != "cli"]:
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            named = isinstance(call, ast.Call) and getattr(call.func, "id", "") == "BadInput" and len(call.args) > 1
            if named and isinstance(call.args[1], ast.Constant):
                assert f"errors.{call.args[1].value}" in words(), call.args[1].value


def test_a_number_brings_its_noun_along() -> None:
    text = words()["failures.would_tell"]["en"]
    assert filled(text, {"n": "1", "judges": "X"}).startswith("The cause of 1 turn is not clear.")
    assert filled(text, {"n": "1,201", "judges": "X"}).startswith("The cause of 1,201 turns is not clear.")
    unscored = words()["compare.unscored"]["en"]
    assert [filled(unscored, {"n": n})[:14] for n in (0, 1, 2)] == [
        "0 pairs withou",
        "1 pair without",
        "2 pairs withou",
    ]
    assert filled("{a} of {b:,}", {"a": "x", "b": 1200}) == "x of 1,200"


def test_no_english_sentence_counts_a_noun_that_cannot_be_of_one() -> None:
    nouns = r"answers|calls|cases|cells|characters|conversations|criteria|documents|kinds|messages|minutes|pairs|passages|personas|rows|scenarios|tokens|turns"  # fmt: skip
    never_one = r"runs\.calls_speed|charts\.(turn|spread)_title|charts\.turn_few|\.not_(repeatable|resumable)"  # decimals, 2 or more, a share, a name
    found = [key for key, both in words().items() if re.search(rf"\{{\w+\}}\**,? (?:\w+ )?(?:{nouns})\b", both["en"])]
    assert not [key for key in found if not re.search(never_one, key)]
