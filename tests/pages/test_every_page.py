"""Every page of the menu opens in both languages before anything was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.base.settings import ROOT
from tests.support.page_app import PAGES, healthy, opened


def test_the_menu_names_every_page_once() -> None:
    assert len(PAGES) == len(set(PAGES)) == 23
    assert all((ROOT / "pages" / f"{page}.py").is_file() for page in PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_in_both_languages_before_anything_was_done(folder: Path, page: str) -> None:
    for language in ("ja", "en"):
        assert healthy(opened(page, language)).title
