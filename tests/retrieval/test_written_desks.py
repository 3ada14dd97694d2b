"""The desks that the search is fitted on: every message names a section and lines that are there."""

from __future__ import annotations

from typing import get_args

import pytest

from benchmarks.desk_files import Desk, Part, read_desks, section_text
from core.documents.heading_names import last_heading
from core.documents.passages import passages
from core.text.language import Script

LANGUAGES: tuple[Script, ...] = ("ja", "en")
DESKS = [desk for part in get_args(Part) for language in LANGUAGES for desk in read_desks(part, language)]


@pytest.mark.parametrize("desk", DESKS, ids=lambda desk: desk.name)
def test_the_sections_of_its_messages_are_found(desk: Desk):
    sections = {(one.document, last_heading(one.heading)) for document in desk.documents for one in passages(document)}
    assert {(one.document, one.heading) for one in desk.clear} <= sections
    assert {heading for _, headings in desk.vague for heading in headings} <= {heading for _, heading in sections}
    assert len(desk.clear) > 80 and all(one.lines for one in desk.clear) and desk.undocumented


def test_no_desk_is_both_learned_from_and_fitted_on():
    assert len({desk.name for desk in DESKS}) == len(DESKS)


def test_lines_become_tables_lists_and_sentences():
    lines = ["Fare | Bag", "Lite | none", "Flex | one", "Bring your card.", "a pen"]
    assert (
        section_text(lines) == "| Fare | Bag |\n|---|---|\n| Lite | none |\n| Flex | one |\n\nBring your card.\n- a pen"
    )
