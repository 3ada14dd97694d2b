"""A section that was picked by its heading is shown whole, where an answer to a question takes the sentences that answer."""

from __future__ import annotations

from core.base.types import Hit, Passage
from core.bot.embedded.quotes import QUOTED_WHOLE_CHARACTERS, QUOTED_WHOLE_OF_PICKED, choose_quotes

SENTENCES = [
    "Report damp or mould in any way that you like, also by telephone.",
    "We inspect the home within ten working days of your report.",
    "A written summary follows within three working days of the inspection.",
    "Work begins within five working days if there is a risk to health.",
    "In immediate danger we act within a day and night, weekends included.",
    "Where the home cannot be made safe, we offer other rooms at our own expense.",
    "Nobody is blamed for the way they live, whatever the cause may have been.",
    "Please keep the vents open, and heat every room a little in the winter.",
    "Small patches can be wiped with a wash that the office gives you for free.",
]


def pieces(picked: bool, text: str = " ".join(SENTENCES)) -> int:
    passage = Passage(id="1", document="repairs.md", title="Repairs", heading="Damp and mould", text=text)
    hit = Hit(passage=passage, score=1.0, language="en")
    return len(choose_quotes("Damp and mould", [hit], {"damp": 1.0, "mould": 1.0}, picked=picked)[0].pieces)


def test_a_picked_section_is_shown_whole():
    assert QUOTED_WHOLE_CHARACTERS["en"] < len(" ".join(SENTENCES)) < QUOTED_WHOLE_OF_PICKED["en"]
    assert pieces(picked=True) == len(SENTENCES) > pieces(picked=False)


def test_of_a_very_long_one_the_sentences_that_answer():
    long = " ".join([*SENTENCES, *(f"Flat {number} has a key of its own in the office." for number in range(30))])
    assert len(long) > QUOTED_WHOLE_OF_PICKED["en"] and pieces(picked=True, text=long) < len(SENTENCES)
