"""What looks the same on every page: style, titles, errors, numbers, scores, times."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.formatting import ending_key
from core.base.crash_log import crash
from core.base.errors import BadInput
from pages.components.plain_text import plain
from pages.i18n.translate import error_text, language, t

T = TypeVar("T")
_UNIT = re.compile(r"(?<=[0-9%]) (?=[\u3040-\u30ff\u4e00-\u9fff])")  # between a number and its unit no line ends
_STYLE = """<style>
.stApp { font-variant-numeric: tabular-nums; line-break: strict; overflow-wrap: anywhere; }
.stMainBlockContainer { max-width: 76rem; padding-top: 3.75rem; }
[data-testid="stMarkdownContainer"] p { line-height: 1.75; text-wrap: pretty; }
[data-testid="stHeading"] h1, [data-testid="stHeading"] h2 { line-height: 1.4; text-wrap: balance; word-break: keep-all; } /* between phrases */
[data-testid="stHeading"] h1 { padding-top: 0; }
[data-testid="stHeading"] a { color: inherit; text-decoration: none; pointer-events: none; }
[data-testid="InputInstructions"] { display: none; }
em { font-style: normal; }
[data-testid="stSidebarUserContent"] { position: absolute; top: .8rem; left: 0; padding: 0 1.15rem; } /* the language: always in view */
[data-testid="stSidebarNavSeparator"], [class*="st-key-grade-"] kbd { display: none; }
.st-key-lang button p { font-size: 0; }
.st-key-lang button p::after { font-size: .9rem; }
.st-key-lang button:nth-of-type(1) p::after { content: "日本語"; }
.st-key-lang button:nth-of-type(2) p::after { content: "English"; }
[data-testid="stMarkdownContainer"] table { display: block; max-width: 100%%; overflow-x: auto; }
[data-testid="stChatMessage"] { padding: .6rem .9rem; }
[role="tab"] p { white-space: nowrap; } /* many tabs are scrolled, not broken */
[data-testid="stLayoutWrapper"]:has(> .st-key-to-list), .st-key-list-find > :has(> [data-testid="stHeading"]) { display: none; }
@media (max-width: 640px) { /* a conversation before the list that it was chosen from, with a link to it; nothing cut that tells things apart */
[data-testid="stLayoutWrapper"]:has(> .st-key-to-list), .st-key-list-find > :has(> [data-testid="stHeading"]) { display: flex; }
.st-key-chosen-run > * { flex: 1 1 100%%; }
.st-key-samples button p, .st-key-choices button p { white-space: normal; text-align: start; }
[data-testid="stColumn"]:has(.st-key-list-rows), [data-testid="stColumn"]:has(.st-key-list-rows) > [data-testid="stVerticalBlock"] { display: contents; }
[data-testid="stLayoutWrapper"]:has(> .st-key-list-find), [data-testid="stLayoutWrapper"]:has(> .st-key-list-rows) { flex: 1 1 100%%; }
[data-testid="stLayoutWrapper"]:has(> .st-key-list-find), [data-testid="stLayoutWrapper"]:has(> .st-key-list-rows) { order: 1; }
}
%s</style>"""
# Streamlit's own words inside the upload box, which no parameter changes.
_UPLOAD = """[data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
[data-testid="stFileUploaderDropzone"] button p, [data-testid="stFileUploaderDropzone"] > span button { font-size: 0; }
[data-testid="stFileUploaderDropzone"] > span button::after { content: "%s"; font-size: .95rem; }
"""


def apply_style() -> None:
    """Add the few CSS rules that the theme file cannot express."""
    st.html(_STYLE % (_UPLOAD % t("common.upload") if language() == "ja" else ""))


def heading(title: str, lead: str = "", place: DeltaGenerator | None = None) -> None:
    """Draw a page's title and a quiet line under it, in `place` if given."""
    with place or st.container():
        st.title(_UNIT.sub("\u00a0", title), anchor=False)
        if lead:
            st.caption(lead)


def show_error(error: BadInput) -> None:
    st.error(plain(error_text(error)), icon=":material/error:")


@contextmanager
def show_errors() -> Iterator[None]:
    """Show a BadInput as one sentence on the page."""
    try:
        yield
    except BadInput as error:
        show_error(error)


@contextmanager
def show_crashes() -> Iterator[None]:
    """Show any error as one sentence; an unexpected one with its reference in the log."""
    try:
        with show_errors():
            yield
    except Exception as error:
        show_error(crash(error))


def show_figure(
    place: DeltaGenerator, label: str, value: str, note: str | None = None, help_text: str | None = None
) -> None:
    """A number in a frame with a quiet note under it."""
    place.metric(
        label, value, note, delta_color="off", delta_arrow="off", border=True, height="stretch", help=help_text
    )


def show_some(items: Sequence[T], most: int, draw: Callable[[T], object]) -> None:
    """Draw the first items of a list, `most` at most, and say how many more there are."""
    for item in items[:most]:
        draw(item)
    if len(items) > most:
        st.caption(t("scores.and_more", n=f"{len(items) - most:,}"))


def ending_text(ending: str, status: str) -> str:
    """How a conversation ended, else its status."""
    return t(ending_key(ending, status))


def local_time(moment: datetime | str | None, seconds: bool = False) -> str:
    """A stored time (UTC) as local date and time, to the minute or the second."""
    if not moment:
        return ""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone().strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
