"""Every word of the pages is there, in both languages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pages.shared.words import words
from tests.proper_names import NAMES

ROOT = Path(__file__).resolve().parents[1]


def test_every_word_is_there_in_both_languages_with_the_same_holes() -> None:
    for key, both in words().items():
        assert set(both) == {"ja", "en"}, key
        assert all(text.strip() for text in both.values()), key
        if not key.startswith("errors."):
            holes = [sorted(set(re.findall(r"(?<!\{)\{(\w+)\}", text))) for text in both.values()]
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
