"""Every text of pages, charts, exports and errors is there, in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.translate import FILE as CORE_FILE
from core.base.translate import fill_text, read_words
from pages.i18n.translate import FILE, words
from tests.support.proper_names import NAMES

ROOT = Path(__file__).resolve().parents[2]


def test_every_text_is_there_in_both_languages_with_the_same_holes() -> None:
    for key, both in words().items():
        assert set(both) == {"ja", "en"}, key
        assert all(text.strip() for text in both.values()), key
        if not key.startswith("errors."):
            holes = [sorted(set(re.findall(r"(?<!\{)\{(\w+)(?::\w[^{}]*)?\}", text))) for text in both.values()]
            assert holes[0] == holes[1], key


def test_japanese_texts_are_japanese() -> None:
    for key, both in words().items():
        assert not re.search(
            r"[A-Za-z]{3}",
            NAMES.sub(
                "", re.sub(r"\{\w+\}|question|kind|knowledge|@?judges?|Sample|JudgeOptions|async|needs", "", both["ja"])
            ),
        ), key


def keys_of_calls(file: Path) -> Iterator[str]:
    """The keys that a file gives to `t` as they stand."""
    for call in ast.walk(ast.parse(file.read_text("utf-8"))):
        name = getattr(call.func, "id", getattr(call.func, "attr", "")) if isinstance(call, ast.Call) else ""
        if isinstance(call, ast.Call) and name == "t" and call.args:
            for part in ast.walk(call.args[0]):
                if isinstance(part, ast.Constant) and re.fullmatch(r"[a-z_]+\.[a-z_0-9]+[a-z0-9]", str(part.value)):
                    yield str(part.value)


def test_every_text_that_a_page_asks_for_is_there() -> None:
    keys = {key for file in [*(ROOT / "pages").rglob("*.py"), ROOT / "app.py"] for key in keys_of_calls(file)}
    assert len(keys) > 500 and keys <= words().keys(), keys - words().keys()


def test_core_asks_for_its_own_texts_only() -> None:
    core = read_words(CORE_FILE)
    keys = {key for file in (ROOT / "core").rglob("*.py") for key in keys_of_calls(file)}
    keys |= set(re.findall(r't\("([a-z_.]+)"', (ROOT / "core" / "export" / "report.html").read_text("utf-8")))
    assert len(keys) > 100 and keys <= core.keys(), keys - core.keys()


def test_no_text_is_in_two_files(tmp_path: Path) -> None:
    assert words().keys() == read_words(CORE_FILE).keys() | read_words(FILE).keys()
    (tmp_path / "more.toml").write_text('[errors]\nstopped = { ja = "x", en = "x" }\n', "utf-8")
    with pytest.raises(ValueError, match=r"more\.toml repeats errors\.stopped"):
        read_words(CORE_FILE, tmp_path / "more.toml")


def test_every_error_has_a_text() -> None:
    for file in [file for file in (ROOT / "core").rglob("*.py") if file.parent.name != "cli"]:
        for call in ast.walk(ast.parse(file.read_text("utf-8"))):
            named = isinstance(call, ast.Call) and getattr(call.func, "id", "") == "BadInput" and len(call.args) > 1
            if named and isinstance(call.args[1], ast.Constant):
                assert f"errors.{call.args[1].value}" in words(), call.args[1].value


def test_a_number_brings_its_noun_along() -> None:
    text = words()["failures.unclear"]["en"]
    assert fill_text(text, {"n": "1", "judges": "X"}).startswith("The cause of 1 turn is not clear.")
    assert fill_text(text, {"n": "1,201", "judges": "X"}).startswith("The cause of 1,201 turns is not clear.")
    unscored = words()["compare.unscored"]["en"]
    assert [fill_text(unscored, {"n": n})[:14] for n in (0, 1, 2)] == [
        "0 pairs withou",
        "1 pair without",
        "2 pairs withou",
    ]
    assert fill_text("{a} of {b:,}", {"a": "x", "b": 1200}) == "x of 1,200"


def test_no_english_sentence_counts_a_noun_that_cannot_be_of_one() -> None:
    nouns = r"answers|calls|cases|cells|characters|conversations|criteria|documents|kinds|messages|minutes|pairs|passages|personas|rows|scenarios|tokens|turns"  # fmt: skip
    never_one = r"runs\.calls_speed|charts\.(turn|spread)_title|charts\.turn_few|\.not_(repeatable|resumable)"  # decimals, 2 or more, a share, a name
    found = [key for key, both in words().items() if re.search(rf"\{{\w+\}}\**,? (?:\w+ )?(?:{nouns})\b", both["en"])]
    assert not [key for key in found if not re.search(never_one, key)]
