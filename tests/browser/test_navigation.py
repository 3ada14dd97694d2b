"""Moving about with the menu, links and Back: the chosen bot, run and conversation stay what they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.store.store import Store
from tests.browser.browser_session import bundled, serving, settled
from tests.support.shared_results import share_results
from tests.support.stored_runs import a_run

TITLES = {"chat": "みなとと話す", "documents": "みなとの文書", "scenarios": "みなとのシナリオ", "bot": "みなとの設定"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A data folder with two runs of one bot, the latest first."""
    folder = share_results(tmp_path_factory.mktemp("moving"))
    store = Store(f"sqlite:///{folder / 'kiku.db'}")
    for run in ("earlier", "later"):
        a_run(store, run, bot="minato")
    latest = [run.id for run in store.runs.all("minato")]
    store.close()
    assert latest == ["later", "earlier"]
    return folder, latest


@pytest.fixture(scope="module")
def address(runs: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on that data folder."""
    with serving(runs[0], bundled(tmp_path_factory.mktemp("knowledge"), "hinata", "minato")) as found:
        yield found


def card(page: Page, address: str, link: str) -> None:
    """From the first page by a link of the bot みなと."""
    page.goto(address)
    bot = page.locator("[data-testid='stVerticalBlock']", has=page.get_by_role("heading", name="みなと", exact=True))
    bot.last.get_by_role("link", name=link).click()


def menu(page: Page, name: str) -> None:
    """Through the menu."""
    page.locator("[data-testid='stSidebarNav']").get_by_role("link", name=name, exact=True).click()


def step(page: Page, place: str, go: Callable[[], object]) -> None:
    """Back or forward until that page is there (the address of a page from the menu is completed in a second step)."""
    for _ in range(4):
        go()
        if f"/{place}" in page.url:
            return
        page.wait_for_timeout(500)
        settled(page)
    raise AssertionError(page.url)


def title(page: Page, text: str) -> None:
    """The page's title says so."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(text)
    settled(page)


def test_the_bot_stays_chosen_through_the_menu_and_back_again(page: Page, address: str) -> None:
    card(page, address, "ボットと話す")
    title(page, TITLES["chat"])
    for name, place in (("文書", "documents"), ("シナリオ", "scenarios"), ("ボットの設定", "bot")):
        menu(page, name)
        page.wait_for_url(f"**/{place}?*bot=minato*")
        title(page, TITLES[place])
    for place in ("scenarios", "documents", "chat"):
        step(page, place, page.go_back)
        title(page, TITLES[place])
        page.wait_for_url(f"**/{place}?*bot=minato*")
    for place in ("documents", "scenarios"):
        step(page, place, page.go_forward)
        title(page, TITLES[place])
        page.wait_for_url(f"**/{place}?*bot=minato*")


def test_results_a_conversation_and_back_to_the_scores(page: Page, address: str, runs: tuple[Path, list[str]]) -> None:
    card(page, address, "結果を見る")
    page.wait_for_url(f"**/scores?*run={runs[1][0]}*")
    page.goto(f"{address}/scores?bot=minato&run={runs[1][1]}")
    title(page, "合格ライン")
    page.goto(f"{address}/transcripts?bot=minato&run={runs[1][1]}")
    title(page, "との会話")
    page.get_by_role("link", name="スコアに戻る").click()
    page.wait_for_url(f"**/scores?*run={runs[1][1]}*")
    title(page, "合格ライン")
    assert "bot=minato" in page.url
    page.go_back()
    page.wait_for_url(f"**/transcripts?*run={runs[1][1]}*")
    title(page, "との会話")
    menu(page, "スコア")
    page.wait_for_url("**/scores?*bot=minato*")
    title(page, "合格ライン")


def test_back_undoes_a_chosen_run(page: Page, address: str, runs: tuple[Path, list[str]]) -> None:
    page.goto(f"{address}/scores?bot=minato")
    page.wait_for_url(f"**run={runs[1][0]}*")
    title(page, "合格ライン")
    page.locator(".st-key-run_box input").click()
    page.get_by_role("option").nth(1).click()
    page.wait_for_url(f"**run={runs[1][1]}*")
    settled(page)
    page.go_back()
    page.wait_for_url(f"**run={runs[1][0]}*")
    settled(page)
    page.wait_for_timeout(500)
    assert f"run={runs[1][0]}" in page.url


def test_a_cell_of_the_heat_map_opens_a_conversation(page: Page, address: str, runs: tuple[Path, list[str]]) -> None:
    page.goto(f"{address}/scores?bot=minato&run={runs[1][1]}&section=scenarios")
    title(page, "合格ライン")
    chart = page.locator(".st-key-chart-map .js-plotly-plot")
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".scatterlayer .point").first).to_be_attached()
    page.wait_for_timeout(1000)  # the chart draws itself after the script
    mark = chart.locator(".scatterlayer .point").nth(2).bounding_box()
    assert mark
    page.mouse.move(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.wait_for_url(f"**/transcripts?*run={runs[1][1]}*conversation=*")
    title(page, "との会話")


def test_addresses_and_times_are_shown_as_written_and_do_not_link(page: Page, address: str) -> None:
    page.goto(f"{address}/chat?bot=minato")
    settled(page)
    text = "www.evil.com a@b.com HTTP://X.com 9:30 :smile: :100: :+1: :material/home: 締切:月曜"
    box = page.locator("[data-testid='stChatInput'] textarea")
    box.fill(text)
    box.press("Enter")
    first = page.locator("[data-testid='stChatMessage'] [data-testid='stMarkdownContainer']").first
    expect(first).to_contain_text("月曜")
    assert first.inner_text().strip() == text
    assert first.locator("a").count() == 0


def test_no_page_asks_anything_of_another_machine(page: Page, address: str) -> None:
    """Not even for an icon: a visitor without any network sees the same."""
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    page.goto(address)
    settled(page)
    pages = page.locator("[data-testid=stSidebarNav] a")
    expect(pages.nth(15)).to_be_visible()
    for place in range(pages.count()):
        pages.nth(place).click()
        settled(page)
        page.wait_for_load_state("networkidle")
    assert len(asked) > 40
    assert [url for url in asked if not url.startswith((f"{address}/", "data:", "blob:"))] == []
