"""How things look, everywhere the same: text of people, titles, errors, scores, bots to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import cast

import streamlit as st

from core.base.bots import bot_ids, load_bot
from core.base.errors import BadInput
from core.base.types import Bot
from pages.shared.words import language, say, sentence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&=^])")
_STYLE = """<style>
.stApp { font-variant-numeric: tabular-nums; line-break: strict; overflow-wrap: anywhere; }
.stMainBlockContainer { max-width: 76rem; padding-top: 3.2rem; }
[data-testid="stMarkdownContainer"] p { line-height: 1.75; }
[data-testid="stHeading"] h1, [data-testid="stHeading"] h2 { line-height: 1.4; text-wrap: balance; }
.st-key-lang button p { font-size: 0; }
.st-key-lang button p::after { font-size: .9rem; }
.st-key-lang button:nth-of-type(1) p::after { content: "日本語"; }
.st-key-lang button:nth-of-type(2) p::after { content: "English"; }
[data-testid="stChatMessage"] { padding: .6rem .9rem; }
%s</style>"""
# Streamlit's own words inside the upload box, which no parameter changes.
_UPLOAD = """[data-testid="stFileUploaderDropzoneInstructions"] { display: none; }
[data-testid="stFileUploaderDropzone"] button p, [data-testid="stFileUploaderDropzone"] > span button { font-size: 0; }
[data-testid="stFileUploaderDropzone"] > span button::after { content: "%s"; font-size: .95rem; }
"""


def style() -> None:
    """The few rules that the theme file cannot express; fixed text of our own, nothing that a person wrote."""
    st.html(_STYLE % (_UPLOAD % say("common.upload") if language() == "ja" else ""))


def plain(text: object) -> str:
    """Text of a person or a model as Markdown that shows it letter by letter: no formula, link, icon, colour or HTML."""
    shown = _SPECIAL.sub(r"\\\1", str(text))
    shown = re.sub(r":(?=[A-Za-z0-9_+-])", ":\u2060", shown)
    return re.sub(r"\n", "  \n", re.sub(r"^( {4,}|\t)", "", shown, flags=re.MULTILINE))


def line(text: object, longest: int = 80) -> str:
    """`plain` on one line, cut with an ellipsis."""
    flat = " ".join(str(text).split())
    return plain(flat if len(flat) <= longest else f"{flat[: longest - 1]}…")


def heading(title: str, lead: str = "") -> None:
    """A page's title (its finding, where it has one) and one quiet line."""
    st.title(title, anchor=False)
    if lead:
        st.caption(lead)


@contextmanager
def told() -> Iterator[None]:
    """Whatever cannot be used is told in one sentence where it happened."""
    try:
        yield
    except BadInput as error:
        st.error(plain(sentence(error)), icon=":material/error:")


def bot_names() -> dict[str, str]:
    """{id: name} of every bot; a bot whose file is broken keeps its id."""
    return {bot: _name(bot) for bot in bot_ids()}


def _name(bot: str) -> str:
    try:
        return load_bot(bot).name
    except BadInput:
        return bot


def choose_bot_id() -> str:
    """The bot chosen on this page (kept in the address and over page changes); stops the page where there is none."""
    names = bot_names()
    if not names:
        st.info(say("common.no_bots"), icon=":material/info:")
        st.stop()
    if "bot_box" not in st.session_state:
        wanted = st.query_params.get("bot") or st.session_state.get("bot")
        st.session_state["bot_box"] = wanted if wanted in names else next(iter(names))
    chosen = cast(
        str,
        st.selectbox(
            say("common.bot"), list(names), format_func=lambda bot: names.get(bot, bot), key="bot_box", on_change=_other_bot
        ),
    )
    st.session_state["bot"] = chosen
    if st.query_params.get("bot") != chosen:
        st.query_params["bot"] = chosen
    return chosen


def _other_bot() -> None:
    """What belongs to the bot before leaves the address."""
    for name in ("chat", "run", "conversation", "doc"):
        st.query_params.pop(name, None)


def choose_bot() -> Bot:
    """The chosen bot; a broken one is told with the way to mend it, and the page stops."""
    chosen = choose_bot_id()
    try:
        return load_bot(chosen)
    except BadInput as error:
        st.error(plain(sentence(error)), icon=":material/error:")
        st.page_link("pages/build/bot.py", label=say("common.mend_bot"), icon=":material/build:", query_params={"bot": chosen})
        st.stop()


def percent(value: float | None) -> str:
    """A share of 1 in percent; a dash where nothing was scored."""
    return "–" if value is None else f"{value * 100:.0f}%"


def score_badge(value: float | None, line_at: float, of: str = "") -> None:
    """A score beside the finish line: green when met, persimmon when not, grey when unscored."""
    if value is None:
        st.badge(say("common.unscored"), icon=":material/remove:", color="gray")
        return
    met = value >= line_at
    icon = ":material/check:" if met else ":material/priority_high:"
    st.badge(f"{percent(value)} {of}".strip(), icon=icon, color="green" if met else "orange")


def when(moment: datetime | str | None) -> str:
    """A stored time (UTC) as date and minute on this machine's clock."""
    if isinstance(moment, str) and moment:
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        return ""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone().strftime("%Y-%m-%d %H:%M")
