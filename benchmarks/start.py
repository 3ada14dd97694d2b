"""How long Kiku takes to start: the command line, a first question, the first page.

    python -m benchmarks.start [--rounds 5] [--bots hinata minato harbor]

Seconds, the median of the rounds with the lowest and the highest; the lines of a round take turns, so that whatever else the
machine does falls on all of them alike. *Python alone* and *bare page* (`benchmarks/bare_page.py`) are the floors. *Fresh*
is an empty data folder, *again* the same folder once more. A page counts from opening the address of a server that has just
said that it is healthy until the first link of the page itself is there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser

from benchmarks.results_page import BARE
from core.base.settings import ROOT
from tests.browser.browser_session import PATIENCE, browsing, serving

HOME = "[data-testid=stMain] a"
TITLE = "h1"
QUESTIONS = {"hinata": "有給は何日前までに申請しますか", "minato": "解約の手順を教えてください"}
ENGLISH = "How do I cancel my plan?"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bots", nargs="+", default=["hinata", "minato", "harbor"])
    chosen = parser.parse_args()
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    with browsing() as browser:
        for _ in range(chosen.rounds):
            seconds["Python alone"].append(run(["-c", "pass"]))
            seconds["python -m core --help"].append(run(["-m", "core", "--help"]))
            for bot in chosen.bots:
                with TemporaryDirectory() as data:
                    ask = ["-m", "core", "ask", "--bot", bot, QUESTIONS.get(bot, ENGLISH)]
                    for when in ("fresh", "again"):
                        seconds[f"ask {bot}, {when}"].append(run(ask, data))
            for name, found in pages(browser).items():
                seconds[name].append(found)
    for name, found in seconds.items():
        print(f"{name:34} {statistics.median(found):6.2f}  ({min(found):.2f} to {max(found):.2f})")


def run(arguments: Sequence[str], data: str = "") -> float:
    """Seconds that a Python process takes."""
    own = {"KIKU_DATA_DIR": data} if data else {}
    start = time.perf_counter()
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def pages(browser: Browser) -> dict[str, float]:
    """Seconds until the first pages are there, on a fresh data folder and on one that was used."""
    with TemporaryDirectory() as data, TemporaryDirectory() as other:
        with serving(Path(other), script=BARE) as address:
            found = {"bare page": opened(browser, address, TITLE)}
        for when in ("fresh", "again"):
            with serving(Path(data)) as address:
                found[f"first page, {when}"] = opened(browser, address, HOME)
                found[f"page of a second visitor, {when}"] = opened(browser, address, HOME)
    return found


def opened(browser: Browser, address: str, selector: str) -> float:
    """Seconds until a new visitor sees an element of a page."""
    context = browser.new_context(locale="ja-JP")
    page = context.new_page()
    start = time.perf_counter()
    page.goto(address, timeout=PATIENCE)
    page.locator(selector).first.wait_for(timeout=PATIENCE)
    seconds = time.perf_counter() - start
    context.close()
    return seconds


if __name__ == "__main__":
    main()
