"""The results page at scale: every query it makes, the page in a browser cold and warm, the server's memory.

    python -m benchmarks.big_run FOLDER --runs 12
    python -m benchmarks.results_page FOLDER [--run big-hinata-1-10000] [--bot hinata] [--visits 20] [--sections]

Queries: median wall and CPU time of five calls in a process of their own. Page: from opening the address until the
script has ended and every chart is drawn, in headless Chromium; cold is the first visit to a new server by a browser that
has nothing of it, warm the median of the later ones, each in a new tab; from the menu: by a click in a tab that has Kiku
open already; again: the page loaded again in its own tab. Empty is a page of Kiku with nothing to work out, in a new tab;
bare is a Streamlit app of one title and one Plotly chart (`benchmarks/bare_page.py`) there: the libraries' floor. Visits
of all kinds take turns, so that whatever else the machine does falls on all of them alike. Memory: the server's resident
set after the first, the third and the last visit. CPU of the browser is that of the page's own thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, ViewportSize

from benchmarks.process_memory import resident_mb
from core.base.types import OVERALL, TURN_JUDGE
from core.store.run_tables import RunTables, run_state
from core.store.score_tables import score_values
from core.store.store import Store
from tests.browser.browser_session import browsing, serving, settled

CALLS = 5
BARE = "benchmarks/bare_page.py"
VIEW: ViewportSize = {"width": 1440, "height": 1000}
PAUSE = 500  # milliseconds in which a page that has settled comes to rest
MENU = "[data-testid=stSidebarNav] a[href$='/{}']"
IDLE, BUSY = 10, 0.01  # seconds in which a server that is ready does next to nothing; share of a core that is more
SECTIONS = ("breakdown", "scenarios", "conversations", "effort", "runs")


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
    with (
        TemporaryDirectory() as other,
        serving(Path(other), script=BARE) as bare,
        serving(chosen.folder) as address,
        browsing() as browser,
    ):
        warmed(browser, address)
        print(f"memory {resident_mb(server()):.0f} MB before the first visit")
        url = f"{address}/scores?lang=en&bot={chosen.bot}&run={chosen.run}"
        overview(browser, url, bare, chosen.visits)
        if chosen.sections:
            sections(browser, url)


def queries(store: Store, run: str, bot: str) -> None:
    """Each query of the page, without anything kept."""
    fresh = RunTables(store.db, run)
    _ = fresh.conversations, fresh.turns, fresh.criteria
    judges = list(dict.fromkeys(one.judge for one in fresh.criteria))
    asked: dict[str, Callable[[], object]] = {
        "runs": lambda: store.runs.all(bot),
        "state of the run": lambda: run_state(store.db, run),
        "conversations": lambda: RunTables(store.db, run).conversations,
        "turns": lambda: fresh.__dict__.pop("turns") is fresh.turns,
        "judges and criteria": lambda: RunTables(store.db, run).criteria,
        **{
            f"scores of {name}": lambda name=name: score_values(RunTables(store.db, run), judges=[name])
            for name in judges
        },
        "judge_versions": lambda: RunTables(store.db, run).versions,
        "run_scores": lambda: store.scores.mean_scores_by_run(TURN_JUDGE, OVERALL, bot),
        "judges_of_runs": lambda: store.scores.judges_by_run(bot),
        "conversation rows": lambda: store.conversations.of_run(run),
        "stage_seconds": lambda: store.conversations.stage_seconds(run),
        "spending_by role": lambda: store.calls.spending_by("role", run),
    }
    print_times(asked)


def print_times(asked: Mapping[str, Callable[[], object]]) -> None:
    """The median wall and CPU time of each query."""
    print(f"{'query':36} {'wall ms':>8} {'cpu ms':>8}")
    for name, call in asked.items():
        walls, cpus = zip(*(timed(call) for _ in range(CALLS)), strict=True)
        print(f"{name:36} {statistics.median(walls):8.0f} {statistics.median(cpus):8.0f}")


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


def sections(browser: Browser, url: str) -> None:
    """Three visits of each other section in new tabs."""
    window = browser.new_context(viewport=VIEW)
    for name in SECTIONS:
        found = [visit(window, f"{url}&section={name}") for _ in range(3)]
        print(f"page {name:10} {middle(found)}")
    window.close()


def overview(browser: Browser, url: str, bare: str, times: int) -> None:
    """All kinds of visits by turns: seconds, the server's own CPU seconds and those of the page's thread; its memory."""
    window = browser.new_context(viewport=VIEW)
    first, sizes = visit(window, url), [resident_mb(server())]
    kinds: dict[str, Callable[[], Visit]] = {
        "new tab": lambda: visit(window, url),
        "again": reload(window, url),
        "menu": from_menu(window, url),
        "empty": lambda: visit(window, url.replace("/scores?", "/settings?"), settled),
        "bare": lambda: visit(window, bare, charted),
    }
    found: dict[str, list[Visit]] = {name: [] for name in kinds}
    for _ in range(times):
        for name, go in kinds.items():
            found[name].append(go())
        sizes.append(resident_mb(server()))
    print(f"{'first':8} {line(first)}")
    for name, visits in found.items():
        print(f"{name:8} {middle(visits)}")
    window.close()
    print(f"memory {sizes[0]:.0f} MB after the first, {sizes[2]:.0f} after the third round, {sizes[-1]:.0f} in the end")


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


def reload(window: BrowserContext, url: str) -> Callable[[], Visit]:
    """Loads the page again in a tab that stays."""
    page = window.new_page()
    tools = watching(window, page)
    page.goto(url)
    drawn(page)
    return lambda: measured(tools, page.reload, page, drawn)


def from_menu(window: BrowserContext, url: str) -> Callable[[], Visit]:
    """Comes by the menu of a tab that stays, each time from the page of the bot's settings."""
    page = window.new_page()
    tools = watching(window, page)
    page.goto(url.replace("/scores?", "/bot?"))
    settled(page)

    def go() -> Visit:
        found = measured(tools, lambda: page.click(MENU.format("scores")), page, drawn)
        page.click(MENU.format("bot"))
        page.wait_for_selector("[class*=st-key-export-]", state="detached")
        settled(page)
        page.wait_for_timeout(PAUSE)
        return found

    return go


def visit(window: BrowserContext, url: str, whole: Callable[[Page], None] | None = None) -> Visit:
    """From the address to a page with all its charts."""
    page = window.new_page()
    tools = watching(window, page)
    found = measured(tools, lambda: page.goto(url), page, whole or drawn)
    page.close()
    return found


def watching(window: BrowserContext, page: Page) -> CDPSession:
    """What tells the CPU time of a page's thread."""
    tools = window.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})
    return tools


def measured(tools: CDPSession, go: Callable[[], object], page: Page, whole: Callable[[Page], None]) -> Visit:
    """What it takes from `go` until the page is whole."""
    before, worked, begun = thread(tools), cpu(), time.perf_counter()
    go()
    whole(page)
    took, after = time.perf_counter() - begun, thread(tools)
    return Visit(took, cpu() - worked, after - before if after > before else after)  # loading again counts from nothing


def thread(tools: CDPSession) -> float:
    """The CPU seconds that the page's own thread has taken so far."""
    metrics = {one["name"]: one["value"] for one in tools.send("Performance.getMetrics")["metrics"]}
    return metrics["TaskDuration"]


def drawn(page: Page) -> None:
    """Until the script has run and each chart's place holds its chart (the library that draws comes late)."""
    page.wait_for_selector("[class*=st-key-export-]", timeout=60_000)  # the last thing on the page
    settled(page)
    page.wait_for_function(
        "() => [...document.querySelectorAll('[class*=st-key-chart-]')].every(one => one.querySelector('.main-svg'))"
    )


def charted(page: Page) -> None:
    """Until the bare page's one chart is drawn."""
    settled(page)
    page.wait_for_selector(".main-svg")


def cpu() -> float:
    """The CPU seconds that the server under test has taken so far."""
    fields = (server() / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def server() -> Path:
    """The place in /proc of Kiku's server, a child of this process."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"app.py" in (place / "cmdline").read_bytes().split(b"\0"):
                return place
    raise RuntimeError("the server has ended")


if __name__ == "__main__":
    main()
