"""Of numbered cases and the sentence that introduces them none is left out of a quote."""

from __future__ import annotations

import pytest

from core.bot.embedded.quotes import with_numbered_cases
from core.bot.embedded.snippets import snippets

JAPANESE = (
    "解約は十日前までに申し出てください。ただし、次の各号のいずれかに該当するときは、解約金を要しません。一、会員が死亡したとき。"
    "二、会員が施設に入所したとき。三、転居したとき。証明書は求めません。"
)
ENGLISH = "Leaving costs £10. It is free in the following cases: 1) You move away to another town. 2) You fall ill for a long time. 3) We close the house for good. \n\nNo written proof of any of this is needed by us."


@pytest.mark.parametrize("text", [JAPANESE, ENGLISH])
def test_one_of_the_cases_brings_all_of_them_and_what_introduces_them(text: str):
    pieces = snippets(text)
    first = next(place for place, piece in enumerate(pieces) if "次の各号" in piece.text or "following" in piece.text)
    cases = [place for place, piece in enumerate(pieces) if piece.text[:1] in "一二三123"]
    assert cases
    for place in (first, *cases):
        assert with_numbered_cases([place], pieces) >= {first, *cases}


@pytest.mark.parametrize("text", [JAPANESE, ENGLISH])
def test_other_pieces_bring_no_cases(text: str):
    pieces = snippets(text)
    last = len(pieces) - 1
    assert with_numbered_cases([0], pieces) == {0}
    assert with_numbered_cases([last], pieces) == {last}


def test_a_number_without_an_introduction_is_no_case():
    pieces = snippets("一、二日で届きます。二、三日かかることもあります。")
    assert with_numbered_cases([0], pieces) == {0}
