"""Tables in Markdown: rows of cells, whatever is in them."""

from __future__ import annotations

import pytest

from core.text.markdown import is_rule, table_cells, tables

TEXT = "Fees:\n\n| Kind | Fee |\n|:---|---:|\n| A \\| B | - |\n| - | 5 |\n\n| alone |\n\nNot a | table\n"


def test_a_table_is_its_rows_without_the_rule_and_escaped_bars_are_text():
    assert list(tables(TEXT)) == [[["Kind", "Fee"], ["A | B", "-"], ["-", "5"]]]


@pytest.mark.parametrize(
    ("line", "cells"),
    [("| a | b |", ["a", "b"]), ("a | b", ["a", "b"]), ("| a ||", ["a", ""]), ("|  | b \\||", ["", "b |"])],
)
def test_cells_are_read_with_or_without_the_outer_bars(line: str, cells: list[str]):
    assert table_cells(line) == cells


@pytest.mark.parametrize(
    ("line", "expected"), [("|---|:-:|", True), ("--- | ---", True), ("| - | 5 |", False), ("| | |", False)]
)
def test_a_rule_is_dashes_only(line: str, expected: bool):
    assert is_rule(line) == expected
