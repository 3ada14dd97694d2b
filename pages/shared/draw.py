"""How things look, everywhere the same: text of people, titles, errors, scores, bots to choose from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.base.bots import bot_ids, load_bot
from core.base.errors import BadInput
from core.base.types import Bot, Language
from pages.shared.words import language, say, sentence

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&=^])")
_ADDRESS = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9_~%./?#&=+-]*[A-Za-z0-9_~%/=])?)")
_STYLE = """<style>
.stApp { font-variant-numeric: tabular-nums; line-break: strict; overflow-wrap: anywhere; }
.stMainBlockContainer { max-width: 76rem; padding-top: 3.2rem; }
[data-testid="stMarkdownContainer"] p { line-height: 1.75; }
[data-testid="stHeading"] h1, [data-testid="stHeading"] h2 { line-height: 1.4; text-wrap: pretty; }
[data-testid="stHeading"] h1 { padding-top: 0; }
[data-testid="InputInstructions"] { display: none; }
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
    """Text of a person or a model as Markdown that shows it letter by letter: no formula, icon, colour, picture or HTML.

    A bare web address can be clicked; what it leads to is what it says.
    """
    shown = "".join(f"<{part}>" if _ADDRESS.fullmatch(part) else _escaped(part) for part in _ADDRESS.split(str(text)))
    return re.sub(r"\n", "  \n", shown)


def _escaped(text: str) -> str:
    shown = re.sub(r":(?=[A-Za-z0-9_+-])", ":\u2060", _SPECIAL.sub(r"\\\1", text))
    return re.sub(r"^( {4,}|\t)", "", shown, flags=re.MULTILINE)


def line(text: object, longest: int = 80) -> str:
    """`plain` on one line, cut with an ellipsis."""
    flat = " ".join(str(text).split())
    return plain(flat if len(flat) <= longest else f"{flat[: longest - 1]}…")


def heading(title: str, lead: str = "", place: DeltaGenerator | None = None) -> None:
    """A page's title (its finding, where it has one) and one quiet line, in `place` where it is given."""
    with place or st.container():
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


def bots_by_language(first: Language) -> list[str]:
    """The ids of all bots, those that speak the language first; broken ones come last."""
    found = {bot: _loaded(bot) for bot in bot_ids()}
    return sorted(found, key=lambda name: (2 if (bot := found[name]) is None else int(bot.language != first), name))


def bot_names() -> dict[str, str]:
    """{id: name} of every bot, those of the person's language first; a broken one goes by its id."""
    return {name: bot.name if (bot := _loaded(name)) else name for name in bots_by_language(language())}


def _loaded(bot: str) -> Bot | None:
    try:
        return load_bot(bot)
    except BadInput:
        return None


def choose_bot_id() -> tuple[DeltaGenerator, str]:
    """The place for the page's title, and the bot chosen beside it (kept in the address and over page changes).

    Stops the page where there is no bot.
    """
    names = bot_names()
    if not names:
        st.info(say("common.no_bots"), icon=":material/info:")
        st.stop()
    if "bot_box" not in st.session_state:
        wanted = st.query_params.get("bot") or st.session_state.get("bot")
        st.session_state["bot_box"] = wanted if wanted in names else next(iter(names))
    top, side = st.columns([3, 1], gap="medium")
    chosen = cast(
        str,
        side.selectbox(
            say("common.bot"),
            list(names),
            format_func=lambda bot: names.get(bot, bot),
            key="bot_box",
            on_change=_other_bot,
            label_visibility="collapsed",
            icon=":material/support_agent:",
        ),
    )
    st.session_state["bot"] = chosen
    if st.query_params.get("bot") != chosen:
        st.query_params["bot"] = chosen
    return top.container(), chosen


def _other_bot() -> None:
    """What belongs to the bot before leaves the address."""
    for name in ("chat", "run", "conversation", "doc"):
        st.query_params.pop(name, None)


def choose_bot() -> tuple[DeltaGenerator, Bot]:
    """The place for the title and the chosen bot; a broken one is told with the way to mend it, and the page stops."""
    top, chosen = choose_bot_id()
    try:
        return top, load_bot(chosen)
    except BadInput as error:
        st.error(plain(sentence(error)), icon=":material/error:")
        st.page_link(
            "pages/build/bot.py", label=say("common.mend_bot"), icon=":material/build:", query_params={"bot": chosen}
        )
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
