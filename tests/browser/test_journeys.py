"""Journeys through the real thing in a real browser: a conversation, a run, a repair."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browser_session import bundled, serving, settled
from tests.support.shared_results import share_results


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server without any results, with two bots (every sixth scenario of one of them) and a broken third one."""
    knowledge = bundled(tmp_path_factory.mktemp("knowledge"), "hinata", "minato")
    file = knowledge / "minato" / "questions.csv"
    header, *rows = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join([header, *rows[::6]]), "utf-8")
    shutil.copytree(knowledge / "hinata", knowledge / "yui")
    (knowledge / "yui" / "bot.toml").write_text('name = "ゆい\n', "utf-8")
    with serving(share_results(tmp_path_factory.mktemp("data")), knowledge) as found:
        yield found


def ask(page: Page, text: str) -> None:
    """Type a message and send it."""
    box = page.locator("[data-testid='stChatInput'] textarea")
    box.fill(text)
    box.press("Enter")


def test_a_link_to_a_page_works_for_the_first_visitor_of_a_server(page: Page, address: str) -> None:
    """It stands first in this file, so that nobody has visited the server before."""
    page.goto(f"{address}/settings?lang=en")
    settled(page)
    page.get_by_role("heading", name="Settings").first.wait_for()
    page.wait_for_timeout(1000)
    assert page.get_by_role("dialog").count() == 0


def test_a_broken_bot_is_one_sentence_and_its_text_can_be_repaired(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text("bot.toml を読み込めません")).to_be_visible()
    page.get_by_role("link", name="このボットの設定を直す").click()
    expect(page.get_by_role("textbox", name="bot.toml の中身")).to_have_value('name = "ゆい\n')
    page.get_by_role("textbox", name="bot.toml の中身").fill('name = "ゆい"\nlanguage = "ja"\n')
    page.get_by_role("button", name="保存する").click()
    expect(page.get_by_role("heading", name="ゆいの設定")).to_be_visible()


def test_the_bot_asks_back_a_choice_is_clicked_and_an_answer_with_its_source_appears(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)
    page.get_by_role("link", name="ボットと話す").first.click()
    page.wait_for_url(re.compile(r"/chat\?(.*&)?bot=hinata"))
    settled(page)
    ask(page, "休暇について教えてください")
    choice = page.locator(".st-key-choices button").first
    expect(choice).to_be_visible()
    expect(page.get_by_text("聞き返した理由")).to_be_visible()
    settled(page)
    messages = page.locator("[data-testid='stChatMessage']")
    document = choice.inner_text()
    choice.click()
    expect(messages).to_have_count(4)
    expect(messages.nth(2)).to_contain_text(document)
    expect(choice).not_to_have_text(document)  # until then it is a button of the reply before
    settled(page)
    section = choice.inner_text()
    choice.click()
    expect(messages).to_have_count(6)
    expect(messages.nth(4)).to_contain_text(section)
    expect(page.get_by_text("出典")).to_be_visible()
    expect(messages.nth(5)).to_contain_text("[1]")
    page.reload()
    expect(messages).to_have_count(6)


def test_a_message_of_markup_is_shown_letter_by_letter(page: Page, address: str) -> None:
    page.goto(f"{address}/chat?bot=hinata")
    settled(page)
    text = "<b>x</b> $a$ :material/home: :red[y] [z](http://q) `c` # d :smile:"
    ask(page, text)
    first = page.locator("[data-testid='stChatMessage'] [data-testid='stMarkdownContainer']").first
    expect(first).to_contain_text("<b>")
    assert first.inner_text().strip() == text


def test_a_batch_goes_on_when_the_page_is_left_and_its_results_are_charted_and_read_on_a_telephone(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/run?bot=minato")
    settled(page)
    start = page.get_by_role("button", name="実行を開始")
    every = start.inner_text()
    page.get_by_text("すべての組み合わせ").click()
    expect(start).not_to_have_text(every)
    start.click()
    page.wait_for_url("**run=*")
    run = page.url.partition("run=")[2].partition("&")[0]
    page.goto(f"{address}/")
    expect(page.get_by_role("heading", name="Kiku")).to_be_visible()
    page.goto(f"{address}/run?bot=minato&run={run}")
    expect(page.get_by_text("完了：会話")).to_be_visible()
    page.goto(f"{address}/scores?bot=minato&run={run}")
    expect(page.get_by_role("heading", name="合格ライン")).to_be_visible()
    expect(page.locator("[data-testid='stPlotlyChart'] .main-svg").first).to_be_visible()
    expect(page.locator("[data-testid='stPlotlyChart']")).to_have_count(4)
    page.set_viewport_size({"width": 420, "height": 900})
    page.goto(f"{address}/transcripts?bot=minato&run={run}")
    rows, said = page.locator(".st-key-list-rows"), page.locator("[data-testid='stChatMessage']").last
    expect(rows).to_be_visible()
    settled(page)
    places = [one.bounding_box() for one in (said, page.locator(".st-key-list-find"), rows)]
    assert [place["y"] for place in places if place] == sorted(place["y"] for place in places if place)
    page.get_by_role("link", name="会話の一覧へ").click()
    expect(page.get_by_role("heading", name="会話の一覧")).to_be_in_viewport()
    expect(page.get_by_role("textbox", name="検索")).to_be_in_viewport()


def test_the_language_is_switched_with_one_click(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="聞いてから")).to_be_visible()
    page.locator(".st-key-lang button").nth(1).click()
    expect(page.get_by_role("heading", name="asks before it answers")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
