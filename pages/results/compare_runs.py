"""Which two runs are compared, by which criterion; and the comparison itself, made once."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from core.analysis.compare_runs import NoiseFloor, RunComparison, compare_runs, noise_floor
from core.base.types import Bot
from core.charts.names import criterion_name
from core.store.records import RunRow
from core.store.store import Store
from pages.components.bot_picker import bot_names
from pages.components.judge_picker import judge_label
from pages.components.plain_text import plain
from pages.components.run_labels import run_labels
from pages.components.services import need_store
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t


def tell_link(
    store: Store, bot: Bot, link: Mapping[str, str], offered: Mapping[str, Collection[str]], others: bool
) -> None:
    """Why runs of the link are not compared, a sentence each, with the way to those that can be.

    link: the runs asked for as a and b (empty: none was); offered: those that can be chosen for each; others:
    whether others are compared instead.
    """
    sides = [side for side in "ab" if link[side] and link[side] not in offered[side]]
    told = list(dict.fromkeys(_why(store, bot, link, side) for side in sides))
    if not told:
        return
    st.info("  \n".join([*told, t("compare_link.others")] if others else told), icon=":material/info:")
    a, b = (store.run(link[side]) for side in "ab")
    if a and b and a.id != b.id and a.bot != bot.id and a.bot in bot_names():
        asked = {"bot": a.bot, "a": a.id, "b": b.id}
        words = {"label": t("compare_link.open"), "icon": ":material/compare_arrows:"}
        st.page_link("pages/results/compare.py", query_params=asked, **words)


def _why(store: Store, bot: Bot, link: Mapping[str, str], side: str) -> str:
    """Why the run cannot stand on its side."""
    run = store.run(link[side])
    if run is None:
        return t("compare_link.unknown", side=side.upper())
    if link["a"] == link["b"]:
        return t("compare_link.twice")
    if run.bot != bot.id:
        other = plain(bot_names().get(run.bot, run.bot), links=False)
        return t("compare_link.other_bot", side=side.upper(), other=other)
    return t("compare_link.alone", side=side.upper())


def bot_of_link(store: Store) -> None:
    """A link that names runs and no bot is about the bot of A."""
    a = store.run(st.query_params.get("a", ""))
    if a and "bot" not in st.query_params:
        st.query_params["bot"] = a.bot


def two_runs(store: Store, bot: Bot) -> tuple[RunRow, RunRow] | None:
    """A (one of the bot's runs) and B (another one, of any bot where that is wanted); none where there is but one run.

    A link whose runs cannot be taken as asked is told.
    """
    mine = {run.id: run for run in store.runs(bot.id)}
    link = {side: st.query_params.get(side, "") for side in "ab"}
    if (linked := store.run(link["b"])) and linked.bot != bot.id:
        st.session_state["compare_others"] = True
    known = {run.id: run for run in store.runs()} if st.session_state.get("compare_others") else mine
    if not mine or len(known) < 2:
        tell_link(store, bot, link, {"a": list(mine), "b": [name for name in known if name != link["a"]]}, False)
        return None
    place = st.container()
    left, right = st.columns(2)
    labels = _labels({**mine, **known}, bot)
    first = _b_first(mine, known)
    with right:
        b = choose_in_url("b", t("compare.b"), {name: labels[name] for name in first})
    rest = [name for name in mine if name != b]
    with left:
        a = choose_in_url("a", t("compare.a"), {name: labels[name] for name in rest})
    with place:
        tell_link(store, bot, link, {"a": rest, "b": first}, True)
    return mine[a], known[b]


def _b_first(mine: dict[str, RunRow], known: dict[str, RunRow]) -> list[str]:
    """The bot's own runs, then the others; where the bot has one run alone, that one is A."""
    own = list(mine) if len(mine) > 1 else []
    return own + [name for name in known if name not in mine]


def _labels(runs: dict[str, RunRow], bot: Bot) -> dict[str, str]:
    """Each run in words, one of another bot with that bot before it."""
    names = bot_names()
    words = run_labels(runs.values(), names)
    others = {name: f"{names.get(run.bot, run.bot)}: " for name, run in runs.items() if run.bot != bot.id}
    return {name: f"{others.get(name, '')}{told}" for name, told in words.items()}


def other_bots() -> None:
    """Whether runs of other bots may be B (their scenarios have to overlap)."""
    looks = {"help": t("compare.others_help"), "on_change": _others_chosen}
    st.toggle(t("compare.others"), key="compare_others", persist_state="session", **looks)


def _others_chosen() -> None:
    """Without other bots B is no run of one."""
    if not st.session_state["compare_others"]:
        st.session_state.pop("b_hand", None)
        st.query_params.pop("b", None)


def comparison(store: Store, a: RunRow, b: RunRow) -> RunComparison:
    """The comparison, made anew only when a run or its verdicts have changed."""
    return _compared(a.id, b.id, store.stamp(a.id), store.stamp(b.id))


def floor_of(store: Store, bot: str, judge: str, criterion: str) -> NoiseFloor | None:
    """The bot's noise floor, looked for anew when it has another run or more verdicts."""
    runs = tuple((run.id, run.status) for run in store.runs(bot))
    return _floor(bot, judge, criterion, runs)


@st.cache_resource(show_spinner=False, max_entries=8)
def _compared(a: str, b: str, stamp_a: object, stamp_b: object) -> RunComparison:
    store = need_store()
    rows = store.run(a), store.run(b)
    assert rows[0] and rows[1]
    return compare_runs(store, rows[0], rows[1])


@st.cache_data(show_spinner=False, max_entries=16)
def _floor(bot: str, judge: str, criterion: str, runs: tuple[tuple[str, str], ...]) -> NoiseFloor | None:
    return noise_floor(need_store(), bot, judge, criterion)


def decisive(found: RunComparison) -> tuple[str, str] | None:
    """The judge and criterion that the page is about; no choice where there is one alone."""
    names = found.comparison.criteria
    head = found.comparison.headline()
    if head is None or len(names) < 2:
        return head
    ordered = [head, *(name for name in names if name != head)]
    labels = {f"{judge} {name}": criterion_label(judge, name) for judge, name in ordered}
    judge, _, name = choose_in_url("by", t("compare.by"), labels).rpartition(" ")
    return judge, name


def criterion_label(judge: str, criterion: str) -> str:
    """A criterion with its judge before it; the turn judge goes without saying."""
    name = criterion_name(criterion, t)
    told = judge_label(judge)
    if judge == "turn":
        return name
    if told == name:  # as a criterion of the turn judge may be called, too
        return t("compare.by_judge", name=name)
    return told if told.endswith(name) else f"{told}: {name}"
