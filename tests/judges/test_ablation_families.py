"""The benchmark that switches families of rules off finds each of them in the judges."""

from __future__ import annotations

import pytest

from benchmarks.ablation_families import FAMILIES, Family, lines_of, patched


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_each_family_names_rules_that_exist(family: Family) -> None:
    for place, wrap in family.rules:
        with patched(place, wrap):
            pass
    assert all(lines_of(place) for place in family.code.split())
