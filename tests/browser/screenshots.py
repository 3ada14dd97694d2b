"""Pictures of every page: both languages, light and dark, wide and narrow.

    python -m tests.browser.screenshots FOLDER [--data DIR] [--only chat,scores] [--quick]

A small run and a chat are made first, so that no page is empty.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.browser_session import browsing, serving, settled

MAIN = "[data-testid=stMain], [data-testid=stAppScrollToBottomContainer]"
PAGES = (
    *("home", "chat", "side_by_side", "run", "scenarios", "personas"),
    *("scores", "failures", "compare", "clarification", "transcripts", "judge_file", "label", "agreement", "test_set"),
    *("documents", "bot", "prompts", "optimize", "judges", "models", "calls", "settings"),
)
WIDTHS = {"wide": (1440, 1000), "narrow": (420, 900)}
ASKS = {"ja": ("hinata", "休暇について教えてください"), "en": ("harbor", "How do I cancel?")}


def main() -> None:
    """Make the pictures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", default=",".join(PAGES))
    parser.add_argument("--quick", action="store_true", help="light and wide only")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if chosen.data:
        chosen.data.mkdir(parents=True, exist_ok=True)
    fresh = not (chosen.data and (chosen.data / "kiku.db").is_file())
    with (
        tempfile.TemporaryDirectory() as own,
        serving(chosen.data or Path(own)) as address,
        browsing() as browser,
    ):
        asked = prepare(browser, address, fresh)
        for language in ("ja", "en"):
            for scheme in ("light",) if chosen.quick else ("light", "dark"):
                for width in ("wide",) if chosen.quick else WIDTHS:
                    pictures(browser, address, chosen, language, scheme, width, asked[language])


def prepare(browser: Browser, address: str, fresh: bool) -> dict[str, str]:
    """Hold one run per language (unless the data folder has some) and a chat; gives the address part of each chat."""
    found: dict[str, str] = {}
    for language, (bot, question) in ASKS.items():
        page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
        if fresh:
            simulate(page, f"{address}/run?lang={language}&bot={bot}")
        found[language] = converse(page, f"{address}/chat?lang={language}&bot={bot}", question)
        page.context.close()
    return found


def simulate(page: Page, address: str) -> None:
    """Start all scenarios with all personas and wait for the end."""
    page.goto(address)
    settled(page)
    page.locator("button", has_text="play_arrow").click()
    page.wait_for_url("**run=*", timeout=60_000)
    page.locator("[data-testid='stProgress']").wait_for(timeout=60_000)
    page.wait_for_selector("button:has-text('stop')", state="detached", timeout=600_000)


def converse(page: Page, address: str, question: str) -> str:
    """Ask something; gives the chat's query."""
    page.goto(address)
    settled(page)
    box = page.locator("[data-testid='stChatInput'] textarea")
    box.fill(question)
    box.press("Enter")
    page.wait_for_url("**chat=*", timeout=60_000)
    page.locator("[data-testid='stChatMessage'] [data-testid='stExpander']").first.wait_for(timeout=120_000)
    return page.url.partition("?")[2]


def pictures(browser: Browser, address: str, chosen: Any, language: str, scheme: Any, width: str, chat: str) -> None:
    """Every page once."""
    size = WIDTHS[width]
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        locale="ja-JP" if language == "ja" else "en-US",
    )
    page = context.new_page()
    for name in chosen.only.split(","):
        query = chat if name == "chat" else f"lang={language}&bot={ASKS[language][0]}"
        page.goto(f"{address}/{'' if name == 'home' else name}?{query}")
        settled(page)
        page.wait_for_timeout(700)  # charts and tables draw themselves after the script
        page.screenshot(path=str(chosen.folder / f"{name}-{language}-{scheme}-{width}.png"))
        full_page(page, chosen.folder / f"{name}-{language}-{scheme}-{width}-whole.png", size[0])
    context.close()


def full_page(page: Page, file: Path, width: int) -> None:
    """The page from top to bottom (Streamlit scrolls inside its frame, so the window is made as tall as the page)."""
    height = page.evaluate(f"document.querySelector({MAIN!r}).scrollHeight")
    page.set_viewport_size({"width": width, "height": max(900, min(int(height) + 20, 6000))})
    page.wait_for_timeout(400)
    page.screenshot(path=str(file))
    page.set_viewport_size({"width": width, "height": WIDTHS["wide" if width > 1000 else "narrow"][1]})


if __name__ == "__main__":
    main()
