"""What browser tests share: one browser for a file, and a fresh visitor for a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.browser_session import PATIENCE, browsing

expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    with browsing() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh visitor from Japan."""
    context = browser.new_context(locale="ja-JP", viewport={"width": 1280, "height": 1000})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()
