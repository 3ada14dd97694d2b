"""How things look, everywhere the same: text of people, titles, errors, scores, bots to choose from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.base.bot_folder import bot_ids, load_bot
from core.base.errors import BadInput
from core.base.types import Bot, Language, Role
from core.llm.roles import ROLES
from pages.components.engine_choice import choice, distinct_models, uses_model
from pages.i18n.translate import error_text, language, t

NAMED = frozenset({"bot", "run", "conversation", "a", "b"})  # always in the address, so that it can be passed on
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$&=^:])")
# Where Streamlit makes icons, pictures and links of text after all escapes: :home:, :100:, www.a.b, a@b.c, http://a.
# The letter caught here goes into an emphasis of its own, which shows as nothing (see _STYLE) and parts the word.
_PARTED = re.compile(
    r"(?<=:)([A-Za-z])|(?<=:)(\d)(?=\d+:)|(?<=:[+-])(\d)|(?<=ww)(w)(?=\.)|(?<=ttp)(s)(?=://)|(?<=htt)(p)(?=://)|(?<=@)([A-Za-z0-9])|(?<=@[-_])([A-Za-z0-9])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9_~%./?#&=+-]*[A-Za-z0-9_~%/=])?)")
_TURNS = dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c") | dict.fromkeys("\u2066\u2067\u2068", "\u2069")
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


_BELOW = {"bot": ("chat", "run", "conversation", "doc", "a", "b"), "run": ("conversation",)}  # what belongs to a choice


def style() -> None:
    """The few rules that the theme file cannot express; fixed text of our own, nothing that a person wrote."""
    st.html(_STYLE % (_UPLOAD % t("common.upload") if language() == "ja" else ""))


def plain(text: object, links: bool = True) -> str:
    """Text of a person or a model as Markdown that shows it letter by letter: no formula, icon, colour, picture or HTML.

    A whole web address can be clicked (unless `links` is off); what it leads to is what it says.
    """
    parts = _ADDRESS.split(_closed(str(text))) if links else [_closed(str(text))]
    shown = "".join(f"<{part}>" if place % 2 else _escaped(part) for place, part in enumerate(parts))
    return re.sub(r"\n", "  \n", shown)


def _closed(text: str) -> str:
    """The text with every change of direction that it opens ended at its end, so that our words beside it stay as they are."""
    opened: list[str] = []
    for letter in text:
        if letter in _TURNS:
            opened.append(_TURNS[letter])
        elif letter in opened:
            del opened[len(opened) - 1 - opened[::-1].index(letter) :]
    return text + "".join(reversed(opened))


def _escaped(text: str) -> str:
    """Every mark of Markdown made harmless; spaces that would vanish are kept as ones that do not break."""
    text = re.sub(r"^[ \t]+|(?<= ) +", lambda spaces: "\u00a0" * len(spaces[0].expandtabs(4)), text, flags=re.MULTILINE)
    return "".join(
        f"*{part}*" if place % 2 else _SPECIAL.sub(r"\\\1", part) for place, part in enumerate(_letters(text))
    )


def _letters(text: str) -> list[str]:
    """The text cut at the letters of _PARTED, which have the odd places."""
    parts, end = list[str](), 0
    for found in _PARTED.finditer(text):
        parts += [text[end : found.start()], found[0]]
        end = found.end()
    return [*parts, text[end:]]


def line(text: object, longest: int = 80) -> str:
    """`plain` on one line, cut with an ellipsis."""
    flat = " ".join(str(text).split())
    return plain(flat if len(flat) <= longest else f"{flat[: longest - 1]}…", links=False)


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
        st.error(plain(error_text(error)), icon=":material/error:")


def bots_by_language(first: Language) -> list[str]:
    """The ids of all bots, those that speak the language first; broken ones come last."""
    return list(_bots(first))


def bot_names() -> dict[str, str]:
    """{id: name} of every bot, those of the person's language first; a broken one goes by its id."""
    return {name: bot.name if bot else name for name, bot in _bots(language()).items()}


def _bots(first: Language) -> dict[str, Bot | None]:
    """All bots by id, none for a broken one, in the order of `bots_by_language`."""
    found = {bot: _loaded(bot) for bot in bot_ids()}
    order = sorted(found, key=lambda name: (2 if (bot := found[name]) is None else int(bot.language != first), name))
    return {name: found[name] for name in order}


def _loaded(bot: str) -> Bot | None:
    try:
        return load_bot(bot)
    except BadInput:
        return None


def choose(
    name: str,
    label: str,
    options: dict[str, str],
    place: DeltaGenerator | None = None,
    control: str = "selectbox",
    **looks: Any,
) -> str:
    """A choice among `options` {value: words} that lives in the address, so that links, the menu and Back all work.

    control: Streamlit's name of the widget (`selectbox`, `segmented_control`). What the address does not say is the one made before (only for the bot, on any page), else the first.
    """
    asked, box, labels = st.query_params.get(name, ""), f"{name}_box", _told_apart(options)
    before = _by_hand(name, asked) or asked
    wanted = next((one for one in (before, st.session_state.get(name, "")) if one in options), next(iter(options)))
    if st.session_state.get(box) != wanted or st.session_state.get(f"{name}_page") != _page():
        st.session_state[box] = wanted  # only then: a value that is set anew would undo a choice being made just now
    st.session_state[f"{name}_page"] = _page()
    chosen = str(
        getattr(place or st, control)(
            label,
            list(options),
            format_func=lambda one: labels.get(one, one),
            key=box,
            on_change=_chosen,
            args=(name,),
            **looks,
        )
    )
    if asked != chosen and (asked or name in NAMED or chosen != next(iter(options))):
        st.query_params[name] = chosen  # what anybody sees anyway is left out: each change is a step for Back
    return chosen


def _told_apart(options: dict[str, str]) -> dict[str, str]:
    """The words of each option, equal ones numbered (Streamlit tells options apart by their words)."""
    seen: Counter[str] = Counter()
    found: dict[str, str] = {}
    for value, words in options.items():
        seen[words] += 1
        found[value] = words if seen[words] == 1 else f"{words} ({seen[words]})"
    return found


def _page() -> str:
    """Which page this is."""
    context = get_script_run_ctx()
    return context.page_script_hash if context else ""


def _by_hand(name: str, asked: str) -> str:
    """A choice made by hand that the address does not show yet (a run cut short comes again with the old address)."""
    context = get_script_run_ctx()
    chosen, old, page = st.session_state.get(f"{name}_hand", ("", "", ""))
    if page == _page() and asked in (chosen, old) and not (context and context.is_history_navigation):
        return chosen
    st.session_state.pop(f"{name}_hand", None)
    return ""


def _chosen(name: str) -> None:
    """A choice made by hand goes into the address, and what belongs to the one before leaves it (in one step for Back)."""
    chosen = st.session_state[f"{name}_box"]
    st.session_state[f"{name}_hand"] = (chosen, st.query_params.get(name, ""), _page())
    for below in _BELOW.get(name, ()):
        st.session_state.pop(f"{below}_hand", None)
    gone: dict[str, Any] = {below: [] for below in _BELOW.get(name, ()) if below in st.query_params}
    st.query_params.update({name: chosen, **gone})


def choose_bot_id(more: dict[str, str] | None = None) -> tuple[DeltaGenerator, str]:
    """The place for the page's title, and the bot chosen beside it (kept in the address and over page changes).

    more: {id: words} of what may be chosen beside the bots. A link to a bot that is not there is told. Stops the page
    where there is no bot.
    """
    names = {**bot_names(), **(more or {})}
    if not names:
        st.info(t("common.no_bots"), icon=":material/info:")
        st.stop()
    if (asked := st.query_params.get("bot", "")) and asked not in names:
        st.info(t("run_picker.unknown_bot", bot=line(asked, 60)), icon=":material/info:")
    top, side = st.columns([3, 1], gap="medium")
    icon = ":material/support_agent:"
    chosen = choose("bot", t("common.bot"), names, side, label_visibility="collapsed", icon=icon)
    st.session_state["bot"] = chosen
    return top.container(), chosen


def choose_bot() -> tuple[DeltaGenerator, Bot]:
    """The place for the title and the chosen bot; a broken one is told with the way to mend it, and the page stops."""
    top, chosen = choose_bot_id()
    try:
        return top, load_bot(chosen)
    except BadInput as error:
        st.error(plain(error_text(error)), icon=":material/error:")
        mend_link(chosen)
        st.stop()


def mend_link(bot: str) -> None:
    """The way to the settings of a bot that cannot be read."""
    words = {"label": t("common.fix_bot_settings"), "icon": ":material/build:", "query_params": {"bot": bot}}
    st.page_link("pages/build/bot.py", **words)


def speaker(embedded: str = "common.no_model", model: str = "common.model", roles: Sequence[Role] = ROLES) -> str:
    """Who answers in this session, in words: no language model, or which ones in these roles."""
    if not uses_model():
        return t(embedded)
    names = (t("common.comma")).join(plain(name, links=False) for name in distinct_models(roles))
    if not names:
        return t("common.model_unnamed")
    return t(model, model=t("common.model_own", model=names) if choice().kind == "own" else names)


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


def when(moment: datetime | str | None, seconds: bool = False) -> str:
    """A stored time (UTC) as date and minute (or second) on this machine's clock."""
    if isinstance(moment, str) and moment:
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        return ""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone().strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")
