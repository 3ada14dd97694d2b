"""The one-file report in a browser without any network: charts are drawn, nothing is asked for, nothing said is markup."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from core.store.store import Store
from tests.conftest import copy_database
from tests.support.export_runs import SCRIPT, an_awkward_run, an_export

NOTES = """() => [...document.querySelectorAll('.chart .scatterlayer .textpoint text')].map(text => ({
  text: text.textContent,
  clipped: text.closest('[clip-path]') !== null,
  over: text.getBoundingClientRect().right - text.closest('.main-svg').getBoundingClientRect().right,
}))"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> dict[str, Path]:
    """The report of a run with a hostile name, by language."""
    folder = tmp_path_factory.mktemp("reports")
    store = Store(f"sqlite:///{copy_database(empty_database, folder / 'data')}")
    an_awkward_run(store, conversations=12)
    store.runs.rename("r1", SCRIPT)
    found = {language: folder / f"{language}.html" for language in ("ja", "en")}
    for language, file in found.items():
        with file.open("wb") as out:
            an_export(store, "r1", language).write("html", out)
    store.close()
    return found


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_report_opens_without_a_network(browser: Browser, tmp_path: Path, store: Store, language: str) -> None:
    an_awkward_run(store)
    file = tmp_path / "report.html"
    with file.open("wb") as out:
        an_export(store, "r1", language, line=0.95).write("html", out)
    wrong: list[str] = []
    page = browser.new_context(offline=True, viewport={"width": 1200, "height": 900}).new_page()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.goto(file.as_uri())
    page.wait_for_function("document.querySelectorAll('.chart .main-svg').length > 0")
    charts = page.locator(".chart").count()
    assert charts >= 4 and page.locator(".chart:has(.main-svg)").count() == charts
    assert page.locator(".chart .bars path").count() > 0
    assert page.locator("details").count() == 2 and page.locator(".said.low").count() == 3
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.locator("main img").count() == 0
    assert page.evaluate("document.documentElement.lang") == language
    blocked = page.evaluate("fetch('http://192.0.2.1/').then(() => 'through', () => 'blocked')")
    assert blocked == "blocked"
    page.context.close()
    assert [text for text in wrong if "192.0.2.1" not in text and "Content Security Policy" not in text] == []


@pytest.mark.parametrize("language", ["ja", "en"])
def test_no_number_beside_a_bar_is_clipped(browser: Browser, reports: dict[str, Path], language: str) -> None:
    page = browser.new_context(offline=True).new_page()
    for width in (320, 420, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(reports[language].as_uri())
        page.wait_for_function("document.querySelectorAll('.chart:has(.main-svg)').length > 3")
        notes = page.evaluate(NOTES)
        assert len(notes) >= 4 and any("9" in note["text"] for note in notes), width
        assert [note for note in notes if note["clipped"] or note["over"] > 0] == [], width
    page.context.close()


def test_what_people_say_is_text_in_the_report(reports: dict[str, Path]) -> None:
    text = reports["ja"].read_text("utf-8")
    assert "<img" not in text.replace("<image", "").split("<script>")[0]
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in text and "</script><script>alert(1)" not in text
