"""A real Streamlit server on a free port with a data folder of its own, and a browser to look at it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.loopback import free_port

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("KIKU_CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 120_000  # milliseconds that a page may take; the first search waits for the index
IDLE = "[data-testid='stApp'][data-test-script-state='notRunning']"


@contextmanager
def serving(data: Path, knowledge: Path | None = None, script: str = "app.py") -> Iterator[str]:
    """The address of a server of a script that works in `data`; stopped at the end."""
    port = free_port()
    own = {"KIKU_DATA_DIR": str(data), "PYTHONPATH": str(ROOT)} | (
        {"KIKU_KNOWLEDGE_DIR": str(knowledge)} if knowledge else {}
    )
    command = [
        sys.executable,
        "-m",
        "pages.start",
        "run",
        script,
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    with (data / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **own}, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()  # nobody reads what it leaves behind: it need not end what it is doing
            server.wait(20)


def bundled(folder: Path, *bots: str) -> Path:
    """A knowledge folder with these bundled bots alone: a server with an empty data folder would embed all others."""
    for bot in bots:
        shutil.copytree(ROOT / "knowledge" / bot, folder / bot)
    shutil.copy(ROOT / "knowledge" / "personas.toml", folder)
    return folder


def wait_for(url: str, server: subprocess.Popen[bytes], seconds: float = PATIENCE / 1000) -> None:
    """Until the server answers; raises TimeoutError, or RuntimeError if it has died."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with {server.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError(url)


@contextmanager
def browsing() -> Iterator[Browser]:
    """Debian's Chromium under Playwright."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def settled(page: Page) -> None:
    """Until the page's script has run to its end."""
    page.wait_for_selector(IDLE, timeout=PATIENCE)
