"""Free-text values of a schema: codes, addresses and links vary, other words stay."""

from __future__ import annotations

import random

import pytest
from faker import Faker

from core.datasets.seed_document.configurations import can_vary, like_text, make_configuration
from core.datasets.seed_document.propose_schema import schema_by_rules

SEED = "# Larch Ltd: key policy\n\n- Desk phone: 020-7946-0123\n- Room: B-204\n- Applies to: all staff\n\n## Keys\nThe key deposit is 20 dollars.\n"


@pytest.mark.parametrize(
    ("example", "varies"), [("B-204", True), ("内線2210", True), ("https://a.example/x", True), ("all staff", False)]
)
def test_what_can_vary_is_told_by_its_form(example: str, varies: bool) -> None:
    assert can_vary("Room", example) is varies


def test_another_value_has_the_form_of_the_example() -> None:
    made = like_text("Desk phone", "020-7946-0123", Faker("en_US"), random.Random(1))
    assert made != "020-7946-0123"
    assert [letter.isdigit() for letter in made] == [letter.isdigit() for letter in "020-7946-0123"]


def test_documents_differ_in_codes_and_agree_in_other_words() -> None:
    schema = schema_by_rules(SEED, "en")
    values = [make_configuration(schema, number, 1).values for number in (1, 2)]
    assert values[0]["Room"] != values[1]["Room"]
    assert values[0]["Applies to"] == values[1]["Applies to"] == "all staff"
