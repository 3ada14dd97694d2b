"""Hostile inputs and faults on the pages of real servers, in a real browser: which leave the page alive and honest.

    python -m benchmarks.hostile_pages [--only PART]

A trial survives if it ends within LIMIT seconds without a traceback (in the server's output, in errors.log, on the
page), without a request to another server, and without an element that only markup can make. Chromium: KIKU_CHROMIUM.
The trials of a full disk mount a small file system, so they need Linux and root.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, Route

from benchmarks.command_line import argument_parser
from benchmarks.hostile_page_inputs import FIND_MARKUP, MARKUP, make_files, make_knowledge
from core.base.settings import ROOT
from core.cli.exit_codes import INCONCLUSIVE
from tests.browser.browser_session import browsing, settled, wait_for
from tests.support.loopback import free_port

LIMIT = 90.0  # seconds
ALERT = "[data-testid='stAlert']"
MESSAGE = "[data-testid='stChatMessage']"
PAGES = (
    *("home", "chat", "side_by_side", "run", "scenarios", "personas", "scores", "failures", "compare", "clarification"),
    *(
        "transcripts",
        "judge_file",
        "label",
        "agreement",
        "documents",
        "test_set",
        "bot",
        "prompts",
        "optimize",
        "judges",
    ),
    *("models", "calls", "settings"),
)
# page, how to get to the upload box, the files that it must refuse
UPLOADS = {
    "documents": ("headings.md", "letters.md", "equal.csv", "large.xlsx", "program.exe"),
    "scenarios": ("equal.csv", "letters.csv", "program.csv", "program.exe", "large.xlsx"),
    "judge_file": ("equal.csv", "letters.csv", "program.csv", "large.xlsx", "rows.jsonl"),
    "label": ("equal.csv", "letters.csv", "program.csv", "large.xlsx"),
    "test_set?source=log": ("equal.csv", "letters.csv", "program.csv", "large.xlsx"),
    "test_set?source=seeds": ("large.zip",),
    "test_set?source=file": ("deep.jsonl", "letters.jsonl", "program.jsonl"),
    "optimize?prompt=judges/correctness": ("equal.csv", "letters.csv", "program.csv", "large.xlsx"),
}
DISK = 40 * 2**20  # bytes of the file system that fills
Trial = tuple[str, Callable[[], str]]  # its name; what went wrong, "" if nothing


class Place:
    """Servers on one data folder, and a browser whose requests are recorded."""

    def __init__(self, folder: Path, browser: Browser, stack: ExitStack) -> None:
        self.data, self.knowledge, self.browser = folder / "data", folder / "knowledge", browser
        self.foreign: list[str] = []  # requests to anything but a server of ours
        self.data.mkdir()
        make_knowledge(self.knowledge)
        self.files = make_files(folder / "files")
        self.environment = {**os.environ, "KIKU_DATA_DIR": str(self.data), "KIKU_KNOWLEDGE_DIR": str(self.knowledge)}
        self.logs: list[Path] = []
        self.servers = [stack.enter_context(self.serving(folder / f"server-{number}.log")) for number in range(2)]
        model = {"KIKU_ENGINE": "openai", "KIKU_MODEL": "m", "OPENAI_BASE_URL": f"http://127.0.0.1:{free_port()}/v1"}
        self.with_model = stack.enter_context(self.serving(folder / "server-model.log", model))  # that is not there

    @contextmanager
    def serving(self, log: Path, extra: dict[str, str] | None = None) -> Iterator[str]:
        """The address of a server; `more`: its own environment variables."""
        port = free_port()
        self.logs.append(log)
        with log.open("wb") as out:
            command = [sys.executable, "-m", "core", "serve", "--port", str(port)]
            server = subprocess.Popen(command, cwd=ROOT, env=self.environment | (extra or {}), stdout=out, stderr=out)
            try:
                wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
                yield f"http://127.0.0.1:{port}"
            finally:
                server.terminate()
                server.wait(20)

    @contextmanager
    def page(self) -> Iterator[Page]:
        """A page of a visitor of its own."""
        context = self.browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 1000})
        self._record(context)
        page = context.new_page()
        page.set_default_timeout(LIMIT * 1000)
        try:
            yield page
        finally:
            context.close()

    def _record(self, context: BrowserContext) -> None:
        def seen(route: Route, request: Request) -> None:
            parts = urlsplit(request.url)
            if parts.hostname == "127.0.0.1" or parts.scheme in ("data", "blob"):
                route.continue_()
            else:
                self.foreign.append(request.url)
                route.abort()

        context.route("**/*", seen)

    def core(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of Kiku on the same data folder."""
        command = [sys.executable, "-m", "core", *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )

    def runs(self) -> dict[str, dict[str, object]]:
        """{id: what `runs` says}."""
        rows = [json.loads(row) for row in self.core("runs", "--json").stdout.splitlines()]
        return {str(row.get("id") or row.get("run")): row for row in rows}

    def traces(self) -> int:
        """Tracebacks so far."""
        files = [*self.logs, self.data / "errors.log"]
        return sum(file.read_text("utf-8", "replace").count("Traceback (most") for file in files if file.is_file())


def look(page: Page) -> str:
    """What is wrong with a page as it is now."""
    settled(page)
    page.wait_for_timeout(300)
    if page.locator("[data-testid='stException']").count():
        return "a traceback on the page"
    if not page.locator("[data-testid='stHeading']").count():
        return "an empty page"
    return ", ".join(page.evaluate(FIND_MARKUP))


def alert(page: Page) -> str:
    """ "" if the page says something in one alert, else what is wrong."""
    page.locator(ALERT).first.wait_for()
    wrong = look(page)
    texts = [text.strip() for text in page.locator(ALERT).all_inner_texts()]
    return wrong or ("" if len(texts) == 1 and texts[0] else f"{len(texts)} alerts: {texts}")


def ask(page: Page, text: str) -> None:
    """Send a message."""
    box = page.locator("[data-testid='stChatInput'] textarea")
    box.fill(text)
    box.press("Enter")


def start(page: Page, address: str, bot: str) -> str:
    """Start a run on the page; its id."""
    page.goto(f"{address}/run?lang=en&bot={bot}")
    settled(page)
    page.locator(".st-key-start button").click()
    page.wait_for_url("**run=*")
    return page.url.partition("run=")[2].partition("&")[0]


def until_done(place: Place, *runs: str) -> str:
    """ "" when the runs are over and whole, else what is wrong."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        known = place.runs()
        if missing := [run for run in runs if run not in known]:
            return f"{missing} is not listed"
        if all(known[run]["status"] != "running" for run in runs):
            return ", ".join(f"{run} is {known[run]['status']}" for run in runs if known[run]["status"] != "done")
        time.sleep(1)
    return f"not over within {LIMIT:g} s"


def server_trials(place: Place) -> Iterator[Trial]:
    """Other names for the server; two servers on one data folder; sessions beside a run."""
    yield "a Host header of another name", lambda: host_header(place.servers[0], "/_stcore/stream")
    yield "two servers, a run on each, both list both", lambda: two_servers(place)
    yield "six sessions chat while a run goes on", lambda: six_sessions(place)


def host_header(address: str, path: str) -> str:
    """The connection that carries the pages is refused to another name (what else is served is the same for everybody)."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=20)
    name = "attacker.example"
    headers = {"Host": name, "Origin": f"http://{name}", "Upgrade": "websocket", "Connection": "Upgrade"}
    headers |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    return "" if 400 <= status < 500 else f"answered with {status}"


def two_servers(place: Place) -> str:
    """A run on each of two servers; each server shows both."""
    with place.page() as one, place.page() as other:
        pages = list(zip((one, other), place.servers, strict=True))
        runs = [start(page, address, "minato") for page, address in pages]
        if wrong := until_done(place, *runs):
            return wrong
        for page, address in pages:
            for run in runs:
                page.goto(f"{address}/transcripts?lang=en&bot=minato&run={run}")
                page.locator(MESSAGE).first.wait_for()
                if wrong := look(page) or (f"{run} unknown on {address}" if page.locator(ALERT).count() else ""):
                    return wrong
    return ""


def six_sessions(place: Place) -> str:
    """Six visitors get their own reply while a run goes on."""
    bots = ("hinata", "minato", "harbor", "markup", "slow", "edited")
    with ExitStack() as stack:
        pages = [stack.enter_context(place.page()) for _ in bots]
        run = start(stack.enter_context(place.page()), place.servers[0], "slow")
        for number, (page, bot) in enumerate(zip(pages, bots, strict=True)):
            page.goto(f"{place.servers[0]}/chat?lang=en&bot={bot}")
            settled(page)
            ask(page, f"visitor-{number} 休暇の日数")
        for page in pages:
            page.locator(f"{MESSAGE}:nth-child(2), {MESSAGE}").nth(1).wait_for()
            page.locator(f"{MESSAGE} [data-testid='stExpander']").first.wait_for()
        for number, page in enumerate(pages):
            text = page.locator("[data-testid='stApp']").inner_text()
            others = [other for other in range(len(bots)) if other != number and f"visitor-{other}" in text]
            if others or f"visitor-{number}" not in text:
                return f"visitor {number} sees the messages of {others}"
            if wrong := look(page):
                return wrong
        return until_done(place, run)


def fault_trials(place: Place) -> Iterator[Trial]:
    """What is deleted, renamed or edited under a page or a run."""
    yield "a run is deleted while it goes on", lambda: delete_run(place, False)
    yield "a run is deleted as soon as it is stopped", lambda: delete_run(place, True)
    yield "documents are edited and removed during a run", lambda: edit_documents(place)
    for name in ("chat", "documents", "bot", "run", "scenarios", "prompts", "side_by_side"):
        yield f"a bot's folder is renamed: {name}", lambda name=name: rename_bot(place, name)


def delete_run(place: Place, stopped: bool) -> str:
    """Another process deletes a run that the page watches: refused while it goes on; once stopped, the page goes on."""
    with place.page() as page:
        run = start(page, place.servers[0], "slow")
        stop = page.get_by_role("button", name="Stop")
        stop.first.wait_for()
        if stopped:
            stop.first.click()
        code = f"import time; from core.store.store import open_store; runs = open_store().runs; run = {run!r}\n"
        code += "while %r and runs.get(run).status == 'running': time.sleep(0.05)\nruns.trash(run); runs.delete(run)"
        command = [sys.executable, "-c", code % stopped]
        done = subprocess.run(
            command, cwd=ROOT, env=place.environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        if not stopped:
            refused = done.returncode and "is still running. Stop it first" in done.stderr
            return look(page) or (until_done(place, run) if refused else "it was not refused")
        if done.returncode:
            return done.stderr[-200:]
        page.wait_for_timeout(4000)  # replies under way end, and are to be stored in a run that is gone
        return look(page) or (f"{run} is still listed" if run in place.runs() else "")


def edit_documents(place: Place) -> str:
    """A document changes, one goes, one comes that cannot be read, while a run goes on."""
    documents = sorted((place.knowledge / "edited" / "documents").rglob("*.md"))
    with place.page() as page:
        run = start(page, place.servers[0], "edited")
        documents[0].write_text("# 変更\n\n休暇は年に10日です。\n", "utf-8")
        documents[1].unlink()
        documents[2].write_bytes(b"\xff\xfe")
        return until_done(place, run) or look(page)


def rename_bot(place: Place, name: str) -> str:
    """A bot's folder gets another name while a page of it is open; the next click or message is answered."""
    here, there = place.knowledge / "moving", place.knowledge / "moved"
    with place.page() as page:
        page.goto(f"{place.servers[0]}/{name}?lang=en&bot=moving")
        settled(page)
        here.rename(there)
        try:
            if page.locator("[data-testid='stChatInput']").count():
                ask(page, "休暇の日数")
            else:
                button = page.locator("button[data-testid*='rimary']:visible:enabled")
                if button.count():
                    button.first.click()
                else:
                    page.reload()
            page.wait_for_timeout(3000)
            if wrong := look(page):
                return wrong
            return "" if page.locator(ALERT).count() else "nothing is said"
        finally:
            there.rename(here)


def upload_trials(place: Place) -> Iterator[Trial]:
    """Files that cannot be used, on each page that takes uploads; and one with markup in its name, columns and cells."""
    hostile = next(name for name in place.files if name.startswith("!"))
    for name, files in UPLOADS.items():
        for file in files:
            yield f"{file} on {name}", lambda name=name, file=file: upload(place, name, file)
    for name in ("judge_file", "label", "test_set?source=log", "documents", "scenarios"):
        yield f"markup in a file on {name}", lambda name=name: upload(place, name, hostile, refused=False)
    yield "992 columns and 5,000 rows on judge_file", lambda: upload(place, "judge_file", "wide.csv", refused=False)


def upload(place: Place, name: str, file: str, refused: bool = True) -> str:
    """The page takes a file, or says in one sentence why not."""
    bot = "minato"
    if name == "label":  # it takes labels of a run
        bot = "markup"
        if wrong := make_run(place, {}):
            return wrong
    with place.page() as page:
        server = place.with_model if name.startswith("optimize") else place.servers[0]
        page.goto(f"{server}/{name}{'&' if '?' in name else '?'}lang=en&bot={bot}&reviewer=Aya")
        settled(page)
        if name == "documents":
            page.get_by_role("tab", name="Add documents").click()
        elif name == "scenarios":
            page.locator("[data-testid='stPopover'] button").first.click()
        elif name.endswith("seeds"):
            page.locator("[data-testid='stSelectbox'] input").first.click()
            page.get_by_role("option", name="Import an exported test set").click()
        elif name == "label":
            page.locator(".st-key-label-files summary").click()
        box = page.locator("[data-testid='stFileUploader'] input[type=file]").first
        box.wait_for(state="attached")
        before = page.locator(ALERT).count()
        box.set_input_files(str(place.files[file]))
        page.wait_for_timeout(1000)
        if name == "documents":
            page.get_by_role("button", name="Add 1").click()
        if name.endswith("seeds"):
            page.get_by_role("button", name="Import").last.click()
        if not refused:
            page.wait_for_timeout(3000)
            return look(page)
        if before:
            return "an alert before the upload"
        return alert(page)


def markup_trials(place: Place) -> Iterator[Trial]:
    """Markup in every text of a bot, a run and a chat, on every page."""
    made: dict[str, str] = {}
    yield "a run with markup in each text", lambda: make_run(place, made)
    yield "a chat with markup in each text", lambda: make_chat(place, made)
    for name in PAGES:
        for language in ("en", "ja"):
            yield (
                f"markup on {name}, {language}",
                lambda name=name, language=language: visit(place, name, language, made),
            )


def make_run(place: Place, made: dict[str, str]) -> str:
    """A run of the bot `markup`, with a name of markup."""
    done = place.core(
        "simulate", "--bot", "markup", "--judges", "turn,custom:loud", "--limit", "3", "--max-turns", "2", "--json"
    )
    if done.returncode not in (0, INCONCLUSIVE):
        return done.stderr[-300:]
    run = next(run for run, row in place.runs().items() if row["bot"] == "markup")
    code = f"from core.store.store import open_store; open_store().runs.rename({run!r}, {MARKUP[:190]!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=place.environment, check=True)
    made["run"] = run
    return ""


def make_chat(place: Place, made: dict[str, str]) -> str:
    """A message of markup, answered with markup."""
    with place.page() as page:
        page.goto(f"{place.servers[0]}/chat?lang=en&bot=markup")
        settled(page)
        ask(page, MARKUP)
        page.wait_for_url("**chat=*")
        made["chat"] = page.url.partition("chat=")[2].partition("&")[0]
        page.locator(f"{MESSAGE} [data-testid='stExpander']").first.wait_for()
        return look(page)


def visit(place: Place, name: str, language: str, made: dict[str, str]) -> str:
    """A page of the bot `markup` with all that can be opened on it open."""
    query = f"lang={language}&bot=markup&run={made.get('run', '')}&reviewer=Aya"
    query += f"&chat={made['chat']}" if name == "chat" and "chat" in made else ""
    with place.page() as page:
        page.goto(f"{place.servers[0]}/{'' if name == 'home' else name}?{query}")
        wrong = look(page)
        for tab in page.get_by_role("tab").all():
            tab.click()
            wrong = wrong or look(page)
        page.evaluate("document.querySelectorAll('details:not([open]) > summary').forEach(one => one.click())")
        page.wait_for_timeout(700)
        return wrong or look(page)


def disk_trials(place: Place) -> Iterator[Trial]:
    """The disk of the data folder fills while pages are served, and has room again."""
    if os.geteuid() or sys.platform != "linux":
        print("a full disk is not tried: that needs Linux and root")
        return
    yield "the disk fills: chat", lambda: full_disk(place, chat_on_full_disk)
    yield "the disk fills: a run", lambda: full_disk(place, run_on_full_disk)


def full_disk(place: Place, trial: Callable[[Page, str, Callable[[bool], None]], str]) -> str:
    """A trial on a server of its own whose data folder is a small file system; it gets a switch that fills the disk."""
    folder = Path(tempfile.mkdtemp(prefix="kiku-full-disk-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "kiku", str(folder)], check=True)
    filler = folder / "filler"

    def fill(full: bool) -> None:
        if not full:
            filler.unlink()
            return
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(2**12))

    try:
        log = place.logs[0].with_name(f"{folder.name}.log")
        with place.serving(log, {"KIKU_DATA_DIR": str(folder)}) as address, place.page() as page:
            return trial(page, address, fill)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
        folder.rmdir()


def chat_on_full_disk(page: Page, address: str, fill: Callable[[bool], None]) -> str:
    """A message is answered or the page says in a sentence why not; after room was made, the next one is answered."""
    page.goto(f"{address}/chat?lang=en&bot=minato")
    settled(page)
    ask(page, "解約の方法")
    page.locator(f"{MESSAGE} [data-testid='stExpander']").first.wait_for()
    fill(True)
    ask(page, "返金はいつですか")
    page.wait_for_timeout(4000)
    if wrong := look(page):
        return wrong
    if not page.locator(ALERT).count():
        return "nothing is said about the full disk"
    fill(False)
    before = page.locator(MESSAGE).count()
    ask(page, "返金はいつですか")
    page.wait_for_timeout(6000)
    return look(page) or ("" if page.locator(MESSAGE).count() > before else "no reply after room was made")


def run_on_full_disk(page: Page, address: str, fill: Callable[[bool], None]) -> str:
    """A run that meets a full disk breaks off with a sentence and goes on after room was made."""
    page.goto(f"{address}/chat?lang=en&bot=slow")  # the database is there before the disk is full
    settled(page)
    run = start(page, address, "slow")
    page.wait_for_timeout(3000)
    fill(True)
    page.locator(ALERT).first.wait_for()
    if wrong := look(page):
        return wrong
    fill(False)
    page.goto(f"{address}/run?lang=en&bot=slow&run={run}")
    settled(page)
    page.get_by_role("button", name="Resume").first.click()
    page.get_by_role("button", name="Stop").first.wait_for(state="detached")
    return look(page)


PARTS: dict[str, Callable[[Place], Iterator[Trial]]] = {
    "servers": server_trials,
    "markup": markup_trials,
    "uploads": upload_trials,
    "faults": fault_trials,
    "disk": disk_trials,
}


def outcome(place: Place, trial: Callable[[], str]) -> str:
    """ "" if the trial survived, else what went wrong."""
    traces = place.traces()
    place.foreign.clear()
    begun = time.monotonic()
    try:
        wrong = trial()
    except (Error, OSError, subprocess.SubprocessError, StopIteration) as error:
        wrong = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if place.foreign:
        wrong = wrong or f"a request to {place.foreign[0]}"
    if place.traces() > traces:
        wrong = wrong or "a traceback in the log"
    if time.monotonic() - begun > LIMIT * 2:
        wrong = wrong or f"took {time.monotonic() - begun:.0f} s"
    return wrong


def main(only: str) -> int:
    """The number of trials that did not survive."""
    tried, lost = 0, 0
    folder = Path(tempfile.mkdtemp(prefix="kiku-hostile-pages-"))
    with ExitStack() as stack:
        place = Place(folder, stack.enter_context(browsing()), stack)
        for name, trials in PARTS.items():
            for title, trial in trials(place) if only in ("", name) else ():
                begun, wrong = time.monotonic(), outcome(place, trial)
                tried, lost = tried + 1, lost + bool(wrong)
                print(f"{'LOST' if wrong else 'ok':<5}{time.monotonic() - begun:6.1f} s  {title}  {wrong}", flush=True)
    print(f"tried {tried}, survived {tried - lost}")
    if lost:
        print(f"servers' output and data: {folder}")
    else:
        shutil.rmtree(folder)
    return lost


if __name__ == "__main__":
    parser = argument_parser(__doc__)
    parser.add_argument("--only", choices=PARTS, default="")
    sys.exit(min(main(parser.parse_args().only), 1))
