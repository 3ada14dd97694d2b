"""How people spell words in chats is read in full; figures that count something stay."""

from __future__ import annotations

import pytest

from core.text.latin_spelling import LatinSpelling

TEXTS = ["How to cancel a board, and what members, guests and cards cost"] * 3


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("how 2 cancel", "how to cancel"),
        ("i need 2 remove a guest", "i need to remove a guest"),
        ("is it ok 4 my guests", "is it ok for my guests"),
        ("send it 2 me", "send it to me"),
        ("cards w/ guests, w/o members", "cards with guests, without members"),
        ("wut abt da cards u have", "what about the cards you have"),
        ("gimme ur cards pls", "give me your cards please"),
    ],
)
def test_chat_spellings_are_read_in_full(written: str, read: str) -> None:
    assert LatinSpelling(TEXTS).respelled(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "I have 2 boards",
        "need 2 new seats",
        "we want 2 more",
        "the 2 guests",
        "2 to 4 members",
        "what do 4 cards cost",
        "Plan 2",
    ],
)
def test_figures_stay(text: str) -> None:
    assert LatinSpelling(TEXTS).respelled(text) == text
