"""Kiku in the browser: title, language, menu; no logic."""

from contextlib import suppress
from pathlib import Path

import streamlit as st

from core.base.errors import BadInput
from core.base.visitor_powers import serve_address
from pages.components.appearance import apply_style, show_crashes
from pages.components.services import services
from pages.i18n.translate import first_guess, t

ICON = Path(__file__).parent / "pages/icon.svg"  # an icon given by name would be fetched from the network
st.set_page_config(page_title="Kiku", page_icon=ICON, layout="wide")
serve_address(st.get_option("server.address") or "")
with suppress(BadInput):  # unreadable settings: each page shows the error, and the settings page can fix it
    services()

PAGES = {
    "": [("home/home", ":material/home:")],
    "talk": [("talk/chat", ":material/chat:"), ("talk/side_by_side", ":material/splitscreen_right:")],
    "simulate": [
        ("simulate/run", ":material/play_circle:"),
        ("simulate/scenarios", ":material/list_alt:"),
        ("simulate/personas", ":material/group:"),
    ],
    "results": [
        ("results/scores", ":material/bar_chart:"),
        ("results/failures", ":material/build:"),
        ("results/compare", ":material/difference:"),
        ("results/clarification", ":material/contact_support:"),
        ("results/transcripts", ":material/forum:"),
        ("results/judge_file", ":material/upload_file:"),
    ],
    "review": [("review/label", ":material/rate_review:"), ("review/agreement", ":material/verified:")],
    "build": [
        ("build/documents", ":material/menu_book:"),
        ("build/test_set", ":material/quiz:"),
        ("build/bot", ":material/tune:"),
        ("build/prompts", ":material/edit_note:"),
        ("build/optimize", ":material/auto_awesome:"),
        ("build/judges", ":material/gavel:"),
    ],
    "system": [
        ("settings/models", ":material/neurology:"),
        ("settings/calls", ":material/receipt_long:"),
        ("settings/settings", ":material/settings:"),
    ],
}


def page(file: str, icon: str) -> st.Page:
    """One page of the menu, its title in the person's language; its address is its file's name."""
    name = file.rpartition("/")[2]
    return st.Page(f"pages/{file}.py", title=t(f"menu.{name}"), icon=icon, url_path=name, default=name == "home")


with st.sidebar:
    st.segmented_control(
        "日本語 / English",
        ["ja", "en"],
        default=first_guess(),
        key="lang",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
menu = {t(f"menu.{section}") if section else "": [page(*entry) for entry in PAGES[section]] for section in PAGES}
chosen = st.navigation(menu, expanded=True)
apply_style()
try:
    with show_crashes():
        chosen.run()
finally:  # also if the page stops before its end
    with suppress(BadInput):
        services().page_is_drawn()
