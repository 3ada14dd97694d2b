"""How things look, everywhere the same: text of people, titles, errors, scores, bots to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.errors import BadInput
from pages.components.plain_text import plain
from pages.i18n.translate import error_text, language, t

_STYLE = """<style>
.stApp { font-variant-numeric: tabular-nums; line-break: strict; overflow-wrap: anywhere; }
.stMainBlockContainer { max-width: 76rem; padding-top: 3.2rem; }
[data-testid="stMarkdownContainer"] p { line-height: 1.75; }
[data-testid="stHeading"] h1, [data-testid="stHeading"] h2 { line-height: 1.4; text-wrap: pretty; }
[data-testid="stHeading"] h1 { padding-top: 0; }
[data-testid="stHeading"] a { color: inherit; text-decoration: none; pointer-events: none; }
[data-testid="InputInstructions"] { display: none; }
em { font-style: normal; }
.st-key-lang button p { font-size: 0; }
.st-key-lang button p::after { font-size: .9rem; }
.st-key-lang button:nth-of-type(1) p::after { content: "日本語"; }
.st-key-lang button:nth-of-type(2) p::after { content: "English"; }
[data-testid="stChatMessage"] { padding: .6rem .9rem; }
@media (max-width: 640px) { /* a conversation before the list that it was chosen from */
[data-testid="stColumn"]:has(.st-key-list-rows), [data-testid="stColumn"]:has(.st-key-list-rows) > [data-testid="stVerticalBlock"] { display: contents; }
[data-testid="stLayoutWrapper"]:has(> .st-key-list-find), [data-testid="stLayoutWrapper"]:has(> .st-key-list-rows) { flex: 1 1 100%%; }
[data-testid="stLayoutWrapper"]:has(> .st-key-list-rows) { order: 1; }
}
%s</style>"""
# Streamlit's own words inside the upload box, which no parameter changes.
_UPLOAD = """[data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
[data-testid="stFileUploaderDropzone"] button p, [data-testid="stFileUploaderDropzone"] > span button { font-size: 0; }
[data-testid="stFileUploaderDropzone"] > span button::after { content: "%s"; font-size: .95rem; }
"""


def apply_style() -> None:
    """The few rules that the theme file cannot express; fixed text of our own, nothing that a person wrote."""
    st.html(_STYLE % (_UPLOAD % t("common.upload") if language() == "ja" else ""))


def heading(title: str, lead: str = "", place: DeltaGenerator | None = None) -> None:
    """A page's title (its finding, where it has one) and one quiet line, in `place` where it is given."""
    with place or st.container():
        st.title(title, anchor=False)
        if lead:
            st.caption(lead)


@contextmanager
def show_errors() -> Iterator[None]:
    """Whatever cannot be used is told in one sentence where it happened."""
    try:
        yield
    except BadInput as error:
        st.error(plain(error_text(error)), icon=":material/error:")


def percent(value: float | None) -> str:
    """A share of 1 in percent; a dash where nothing was scored."""
    return "–" if value is None else f"{value * 100:.0f}%"


def score_badge(value: float | None, line_at: float, of: str = "") -> None:
    """A score beside the pass mark: green when met, persimmon when not, grey when unscored."""
    if value is None:
        st.badge(t("common.unscored"), icon=":material/remove:", color="gray")
        return
    met = value >= line_at
    icon = ":material/check:" if met else ":material/priority_high:"
    st.badge(f"{percent(value)} {of}".strip(), icon=icon, color="green" if met else "orange")


def local_time(moment: datetime | str | None, seconds: bool = False) -> str:
    """A stored time (UTC) as date and minute (or second) on this machine's clock."""
    if isinstance(moment, str) and moment:
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        return ""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone().strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
