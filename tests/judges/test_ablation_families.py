"""The benchmark that switches families of rules off finds each of them in the judges."""

from __future__ import annotations

import pytest

from benchmarks.ablation_families import FAMILIES, Family, caches, lines_of, patched
from core.text.numbers import amounts


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_each_family_names_rules_that_exist(family: Family) -> None:
    for place, wrap in family.rules:
        with patched(place, wrap):
            pass
    assert all(lines_of(place) for place in family.code.split())


def test_the_caches_that_depend_on_what_is_judged_are_found() -> None:
    assert amounts in caches()
