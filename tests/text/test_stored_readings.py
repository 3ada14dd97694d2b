"""What was read in many texts is stored, and read again if anything changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.text import stored_readings
from core.text.language import terms
from core.text.stored_readings import MIN_TEXTS, readings

TEXTS = [f"会議室{number}を予約したい" for number in range(MIN_TEXTS)]


def stored(home: Path) -> list[Path]:
    return sorted((home / "data" / "prepared").glob("*"))


def test_texts_are_read_once(home: Path) -> None:
    read: list[str] = []

    def length(text: str) -> int:
        read.append(text)
        return len(text)

    first = readings(TEXTS, length)
    assert readings(TEXTS, length) == first == [len(text) for text in TEXTS]
    assert read == TEXTS


def test_what_is_stored_is_what_would_be_read(home: Path) -> None:
    for _ in range(2):
        assert [tuple(words) for words in readings(TEXTS, terms, "ja")] == [terms(text, "ja") for text in TEXTS]
    assert len(stored(home)) == 1


def test_other_texts_options_or_code_are_read_anew(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readings(TEXTS, terms, "ja")
    readings([*TEXTS[:-1], "別の文"], terms, "ja")
    readings(TEXTS, terms, "zh")
    monkeypatch.setattr(stored_readings, "state_of_readers", lambda: "other code")
    readings(TEXTS, terms, "ja")
    assert len(stored(home)) == 4


def test_few_texts_are_not_stored(home: Path) -> None:
    assert readings(["会議室"], len) == [3]
    assert not stored(home)
