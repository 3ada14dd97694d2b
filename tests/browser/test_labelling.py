"""A run labelled by keyboard alone, with an undo, a reload, and a second reviewer at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from core.base.types import Scenario
from core.runs.plan import Plan
from core.store.database import now
from core.store.rows import ConversationRow, RunRow
from core.store.store import Store
from tests.browser.browser_session import PATIENCE, browsing, bundled, serving, settled
from tests.support.shared_results import share_results
from tests.support.small_bot import a_turn
from tests.support.stored_runs import a_score

pytestmark = pytest.mark.servers
TURNS = 9
KEYS = ("y", "n", "d")
VERDICT = {"y": "yes", "n": "no", "d": ""}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a run of judged turns."""
    store = Store(f"sqlite:///{share_results(tmp_path) / 'kiku.db'}")
    run = RunRow(
        id="r1", bot="minato", name="", language="ja", status="running", seed=1, max_turns=3, total=TURNS,
        created_at=now(), plan=Plan(bot="minato", seed=1).model_dump(mode="json"),
    )  # fmt: skip
    rows = [
        ConversationRow(
            id=f"r1-{n}", run_id="r1", bot="minato", number=n, scenario_id=f"q{n}", scenario=Scenario(id=f"q{n}", question=f"質問 {n}"),
            persona_id="calm", persona_name="落ち着いた人", kind="faq", question=f"質問 {n}",
        )
        for n in range(1, TURNS + 1)
    ]  # fmt: skip
    store.runs.create(run, {"engine": "embedded"}, rows)
    for row in rows:
        store.conversations.start(row.id)
        store.scores.add(store.conversations.add_turn(row.id, 1, a_turn(row.question)), [a_score(0.8)])
        store.conversations.finish(row.id, "done")
    store.runs.finish("r1", "done")
    store.close()
    return tmp_path


@pytest.fixture
def pages(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Page]]:
    """The label page as two reviewers have it open at the same time."""
    with serving(data, bundled(tmp_path_factory.mktemp("knowledge"), "minato")) as address, browsing() as browser:
        both = [browser.new_context(locale="en-GB").new_page() for _ in "ab"]
        for page, name in zip(both, ("Aya", "Ben"), strict=True):
            page.set_default_timeout(PATIENCE)
            page.goto(f"{address}/label?lang=en&bot=minato&run=r1&reviewer={name}")
            page.get_by_text(f"0 of {TURNS} labelled").wait_for()
            settled(page)
        yield both[0], both[1]


def press(page: Page, key: str, seen: str) -> None:
    """Press a key and wait for what it brings about."""
    page.keyboard.press(key)
    page.locator(seen).first.wait_for()
    settled(page)


def label(page: Page, key: str, n: int) -> None:
    """Give a verdict by its key, see it told, and go on to the next turn."""
    press(page, key, f"text={n} of {TURNS} labelled")
    page.get_by_text("Your label:").first.wait_for()
    assert page.get_by_text("理由").count() or page.get_by_text("Overall").count()
    before = page.url
    page.keyboard.press("ArrowRight")
    if n < TURNS:
        page.wait_for_function("before => location.href !== before", arg=before)
        page.get_by_text("Your label:").first.wait_for(state="detached")
    settled(page)


def test_a_run_is_labelled_by_keyboard_alone(data: Path, pages: tuple[Page, Page]) -> None:
    aya, ben = pages
    for n in range(1, TURNS + 1):
        label(aya, KEYS[n % 3], n)
        if n == 5:  # an undo in the middle
            press(aya, "z", f"text=4 of {TURNS} labelled")
            label(aya, KEYS[n % 3], 5)
        if n == 8:
            aya.reload()
            aya.get_by_text(f"8 of {TURNS} labelled").wait_for()
            settled(aya)
        if n % 3 == 0:  # the second reviewer at the same time
            label(ben, "y", n // 3)
    aya.get_by_text("You have labelled every turn").wait_for()
    store = Store(f"sqlite:///{data / 'kiku.db'}")
    found = store.labels.of_pool("r1")
    store.close()
    mine = [one for one in found if one.reviewer == "Aya"]
    theirs = [one for one in found if one.reviewer == "Ben"]
    assert len({one.turn_id for one in mine}) == TURNS and len(theirs) == TURNS // 3
    counts = [sum(one.verdict == VERDICT[key] for one in mine) for key in KEYS]
    assert counts == [TURNS // 3] * 3 and all(one.verdict == "yes" for one in theirs)
    assert [one.blind for one in mine].count(False) == 1  # the one that was undone after its verdict was seen
