"""What pages share: nothing is loaded after it was closed."""

from __future__ import annotations

import time
from pathlib import Path

from pages.components.services import Services


def test_what_is_closed_before_the_first_page_is_drawn_loads_nothing(folder: Path) -> None:
    shared = Services()
    shared.close()
    until = time.monotonic() + 10  # without the first page it would wait for 20 seconds, and then load
    while not shared.ready and time.monotonic() < until:
        time.sleep(0.02)
    assert shared.ready and {one.state for one in shared.loading.values()} == {"waiting"}


def test_what_is_open_loads_when_the_first_page_is_drawn(folder: Path) -> None:
    shared = Services()
    shared.page_is_drawn()
    until = time.monotonic() + 60
    while not shared.ready and time.monotonic() < until:
        time.sleep(0.02)
    assert {one.state for one in shared.loading.values()} == {"ready"}
    shared.close()
