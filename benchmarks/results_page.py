"""The results page at scale: every query it makes, the page in a browser cold and warm, the server's memory.

    python -m benchmarks.big_run FOLDER --runs 12
    python -m benchmarks.results_page FOLDER [--run big-hinata-1-10000] [--bot hinata] [--visits 20] [--sections]

Queries: median wall and CPU time of five calls in a process of their own. Page: from opening the address until the
script has ended and every chart is drawn, in headless Chromium; cold is the first visit to a new server by a browser that
has nothing of it, warm the median of the later ones, each in a new tab; from the menu: by a click in a tab that has Kiku
open already. Empty is a page of Kiku with nothing to work out, in a new tab: what Streamlit itself takes there. Memory: the server's resident set after the first,
the third and the last visit. CPU of the browser is that of the page's own thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

from core.store.look import Look
from core.store.looks import stamp_of
from core.store.store import Store
from tests.browser.server import browsing, serving, settled

CALLS = 5
MENU = "[data-testid=stSidebarNav] a[href$='/{}']"
IDLE, BUSY = 10, 0.01  # seconds in which a server that is ready does next to nothing; share of a core that is more
SECTIONS = ("overview", "inside", "scenarios", "talks", "work", "runs")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", default="big-hinata-1-10000")
    parser.add_argument("--bot", default="hinata")
    parser.add_argument("--visits", type=int, default=20)
    parser.add_argument("--sections", action="store_true", help="each section, too")
    chosen = parser.parse_args()
    queries(Store(f"sqlite:///{chosen.folder / 'kiku.db'}"), chosen.run, chosen.bot)
    with serving(chosen.folder) as address, browsing() as browser:
        warmed(browser, address)
        print(f"memory {memory():.0f} MB before the first visit")
        for section in SECTIONS if chosen.sections else SECTIONS[:1]:
            pages(
                browser,
                f"{address}/scores?lang=en&bot={chosen.bot}&run={chosen.run}&section={section}",
                chosen,
                section,
            )


def queries(store: Store, run: str, bot: str) -> None:
    """Each query of the page, without anything kept."""
    fresh = Look(store.db, run)
    _ = fresh.talks, fresh.turns, fresh.verdicts
    judges: dict[tuple[str, str], list[str]] = {}
    for one in fresh.verdicts:
        judges.setdefault((one.judge, one.version), []).append(one.criterion)
    asked: dict[str, Callable[[], object]] = {
        "runs": lambda: store.runs(bot),
        "state of the run": lambda: stamp_of(store.db, run),
        "conversations": lambda: Look(store.db, run).talks,
        "turns": lambda: fresh.__dict__.pop("turns") is fresh.turns,
        "judges and criteria": lambda: Look(store.db, run).verdicts,
        **{f"values of {key[0]}": lambda key=key: fresh.pivot(*key, judges[key]) for key in judges},
        "judge_versions": lambda: store.judge_versions(run),
        "run_scores": lambda: store.run_scores(bot),
        "judges_of_runs": lambda: store.judges_of_runs(bot),
        "conversation rows": lambda: store.conversations(run),
        "stage_seconds": lambda: store.stage_seconds(run),
        "spending_by role": lambda: store.spending_by("role", run),
    }
    print(f"{'query':28} {'wall ms':>8} {'cpu ms':>8}")
    for name, call in asked.items():
        walls, cpus = zip(*(timed(call) for _ in range(CALLS)), strict=True)
        print(f"{name:28} {statistics.median(walls):8.0f} {statistics.median(cpus):8.0f}")


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU milliseconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def warmed(browser: Browser, address: str) -> None:
    """Until the server has loaded its indexes (another page, so that nothing of the run is kept)."""
    page = browser.new_page()
    page.goto(f"{address}/settings?lang=en")
    settled(page)
    before = -1.0
    while cpu() - before > BUSY * IDLE:
        before = cpu()
        page.wait_for_timeout(IDLE * 1000)
    page.close()


def pages(browser: Browser, url: str, chosen: argparse.Namespace, section: str) -> None:
    """Visits in new tabs: seconds, the server's own CPU seconds and those of the page's thread; the server's memory."""
    window = browser.new_context(viewport={"width": 1440, "height": 1000})
    first, sizes, later = visit(window, url), [memory()], list[Visit]()
    for _ in range(chosen.visits if section == "overview" else 3):
        later.append(visit(window, url))
        sizes.append(memory())
    if section == "overview":
        empty, clicked = emptily(window, url), from_menu(window, url, chosen.visits)
        print(f"page {section:10} empty {middle(empty)}; from the menu {middle(clicked)}")
    print(f"page {section:10} cold {line(first)}; warm {middle(later)}")
    window.close()
    print(
        f"  memory {sizes[0]:.0f} MB after the first visit, {sizes[2]:.0f} after the third, {sizes[-1]:.0f} in the end"
    )


class Visit(NamedTuple):
    """Seconds until the page was whole, and CPU seconds of the server and of the page's thread."""

    seconds: float
    server: float
    page: float


def line(one: Visit) -> str:
    """A visit in words."""
    return f"{one.seconds:.2f} s (CPU: server {one.server:.2f} s, page {one.page:.2f} s)"


def middle(visits: list[Visit]) -> str:
    """The medians of visits in words."""
    return f"{line(Visit(*map(statistics.median, zip(*visits, strict=True))))}, of {len(visits)}"


def emptily(window: BrowserContext, url: str) -> list[Visit]:
    """Visits of the settings page in new tabs."""
    return [visit(window, url.replace("/scores?", "/settings?"), settled) for _ in range(5)]


def from_menu(window: BrowserContext, url: str, times: int) -> list[Visit]:
    """Visits by the menu of one tab, each from the page of the bot's settings."""
    page, found = window.new_page(), list[Visit]()
    tools = window.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(url.replace("/scores?", "/bot?"))
    for _ in range(times):
        settled(page)
        page.wait_for_timeout(500)
        found.append(measured(tools, lambda: page.click(MENU.format("scores")), page, drawn))
        page.click(MENU.format("bot"))
        page.wait_for_selector("[class*=st-key-export-]", state="detached")
    page.close()
    return found


def visit(window: BrowserContext, url: str, whole: Callable[[Page], None] | None = None) -> Visit:
    """From the address to a page with all its charts."""
    page = window.new_page()
    tools = window.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = measured(tools, lambda: page.goto(url), page, whole or drawn)
    page.close()
    return found


def measured(tools: CDPSession, go: Callable[[], object], page: Page, whole: Callable[[Page], None]) -> Visit:
    """What it takes from `go` until the page is whole."""
    before, worked, begun = thread(tools), cpu(), time.perf_counter()
    go()
    whole(page)
    return Visit(time.perf_counter() - begun, cpu() - worked, thread(tools) - before)


def thread(tools: CDPSession) -> float:
    """The CPU seconds that the page's own thread has taken so far."""
    told = {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}
    return told["TaskDuration"]


def drawn(page: Page) -> None:
    """Until the script has run and each chart's place holds its chart (the library that draws comes late)."""
    page.wait_for_selector("[class*=st-key-export-]", timeout=60_000)  # the last thing on the page
    settled(page)
    page.wait_for_function(
        "() => [...document.querySelectorAll('[class*=st-key-chart-]')].every(one => one.querySelector('.main-svg'))"
    )


def memory() -> float:
    """The resident set of the server under test, in MB."""
    return int((server() / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu() -> float:
    """The CPU seconds that the server under test has taken so far."""
    fields = (server() / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def server() -> Path:
    """The place in /proc of the server, a child of this process."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"pages.shared.start" in (place / "cmdline").read_bytes().split(b"\0"):
                return place
    raise RuntimeError("the server has ended")


if __name__ == "__main__":
    main()
