"""Pages as Streamlit runs them in a test: opened, looked at, and what is written on them."""

from __future__ import annotations

import re
import time
from functools import cache
from pathlib import Path

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from pages.components.services import services
from tests.support.proper_names import NAMES

# Each app looks through all installed packages for components, which takes longer than most pages: once is enough.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(re.findall(r'\("(\w+/\w+)", ":material', (ROOT / "app.py").read_text("utf-8")))
WRITTEN = ("title", "subheader", "markdown", "caption", "info", "success", "warning", "error")
DRAWN = ("title", "header", "subheader", "caption", "info", "warning", "error", "success")
CONTROLS = ("button", "selectbox", "text_input", "text_area", "number_input", "toggle", "multiselect", "button_group")


def opened(page: str = "home/home", language: str = "ja", **query: str) -> AppTest:
    """The page as a visitor sees it."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["lang"] = language
    if page == "home/home":
        app.run()
    for name, value in query.items():
        app.query_params[name] = value
    return app if page == "home/home" else app.switch_page(f"pages/{page}.py").run()


def shown(app: AppTest) -> list[str]:
    """The page's own words: what is drawn and the labels of its controls."""
    drawn = [str(element.value) for kind in DRAWN for element in getattr(app, kind)]
    controls = [element for kind in CONTROLS for element in getattr(app, kind)]
    ours = [element for element in controls if not str(element.key).startswith(("sample-", "choice-", "open-"))]
    return drawn + [str(element.label) for element in ours]


def text_of(app: AppTest) -> str:
    """Everything that is written on the page, apart from labels."""
    return "\n".join(str(element.value) for kind in WRITTEN for element in getattr(app, kind))


def press(app: AppTest, button: str) -> AppTest:
    """Press the button of this key or label; nothing may break."""
    next(one for one in app.button if button in (one.key, one.label)).click().run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def title_of(app: AppTest) -> str:
    """The page's title, with plain spaces between numbers and their units."""
    return str(app.title[0].value).replace("\u00a0", " ")


def healthy(app: AppTest) -> AppTest:
    """Nothing went wrong on the page."""
    assert not app.exception, [error.message for error in app.exception]
    assert not app.error, [error.value for error in app.error]
    return app


def is_foreign(text: str, language: str) -> bool:
    """A Japanese page's words without any Japanese letter, or an English page's with Japanese ones around no name."""
    bare = NAMES.sub("", text)
    if language == "ja":
        return bool(re.search(r"[A-Za-z]{3}", bare)) and not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", bare)
    return bool(re.search(r"[\u3040-\u30ff]{4}", bare)) and not re.search(r"[A-Za-z]{3}", bare) and "ひなた" not in text


def wait_for_services(seconds: float = 60) -> None:
    """Wait until what pages share is loaded; it is loaded after a first page, of which the tests need none."""
    services().page_is_drawn()
    until = time.monotonic() + seconds
    while not services().ready and time.monotonic() < until:
        time.sleep(0.02)
