"""Choosing two runs and the criterion to compare them by; their comparison, cached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import streamlit as st

from core.analysis.compare import Difference
from core.analysis.compare_runs import RunComparison, compare_runs, noise_floor
from core.analysis.names import criterion_label
from core.base.types import Bot
from core.store.rows import RunRow
from core.store.store import Store
from pages.components.bot_picker import bot_names
from pages.components.links import page_link
from pages.components.plain_text import plain
from pages.components.run_picker import run_labels
from pages.components.services import cached
from pages.components.url_choice import choose_in_url, forget_choice
from pages.i18n.translate import t


def _show_link_problems(
    store: Store, bot: Bot, link: Mapping[str, str], offered: Mapping[str, Collection[str]], others: bool
) -> None:
    """Say why runs of the link are not compared, with a link that does compare them if there is one.

    link: {"a": id, "b": id} in the address ("" if absent); offered: the runs that can be chosen for each; others:
    whether other runs are compared.
    """
    sides = [side for side in "ab" if link[side] and link[side] not in offered[side]]
    problems = list(dict.fromkeys(_link_problem(store, bot, link, side) for side in sides))
    if not problems:
        return
    st.info("  \n".join([*problems, t("compare_link.others")] if others else problems), icon=":material/info:")
    a, b = (store.runs.get(link[side]) for side in "ab")
    if a and b and a.id != b.id and a.bot != bot.id and a.bot in bot_names():
        page_link("results/compare", t("compare_link.open"), "compare_arrows", bot=a.bot, a=a.id, b=b.id)


def _link_problem(store: Store, bot: Bot, link: Mapping[str, str], side: str) -> str:
    run = store.runs.get(link[side])
    if run is None:
        return t("compare_link.unknown", side=side.upper())
    if link["a"] == link["b"]:
        return t("compare_link.twice")
    if run.bot != bot.id:
        other = plain(bot_names().get(run.bot, run.bot), links=False)
        return t("compare_link.other_bot", side=side.upper(), other=other)
    return t("compare_link.alone", side=side.upper())


def choose_two_runs(store: Store, bot: Bot) -> tuple[RunRow, RunRow] | None:
    """Run A (of this bot) and run B (of any bot if that is switched on); None if there are not two runs."""
    own = {run.id: run for run in store.runs.all(bot.id)}
    link = {side: st.query_params.get(side, "") for side in "ab"}
    if (linked := store.runs.get(link["b"])) and linked.bot != bot.id:
        st.session_state["compare_others"] = True
    runs = {run.id: run for run in store.runs.all()} if st.session_state.get("compare_others") else own
    if not own or len(runs) < 2:
        offered = {"a": list(own), "b": [run_id for run_id in runs if run_id != link["a"]]}
        _show_link_problems(store, bot, link, offered, others=False)
        return None
    notes = st.container()
    left, right = st.columns(2)
    labels = _labels({**own, **runs}, bot)
    kinds = Counter(run.is_answer_file for run in own.values())
    own_for_b = list(own) if len(own) > 1 else []  # a bot's only run is A
    own_for_b.sort(key=lambda run_id: kinds[own[run_id].is_answer_file] < 2)  # the only one of its kind has no pairs
    offered_b = own_for_b + [run_id for run_id in runs if run_id not in own]
    b = choose_in_url("b", t("compare.b"), {run_id: labels[run_id] for run_id in offered_b}, right)
    offered_a = [run_id for run_id in own if run_id != b]
    offered_a.sort(key=lambda run_id: own[run_id].is_answer_file != runs[b].is_answer_file)
    a = choose_in_url("a", t("compare.a"), {run_id: labels[run_id] for run_id in offered_a}, left)
    with notes:
        _show_link_problems(store, bot, link, {"a": offered_a, "b": offered_b}, others=True)
    return own[a], runs[b]


def _labels(runs: dict[str, RunRow], bot: Bot) -> dict[str, str]:
    """The label of each run, with the bot's name before runs of other bots."""
    names = bot_names()
    labels = run_labels(runs.values(), names)
    other_bots = {run_id: f"{names.get(run.bot, run.bot)}: " for run_id, run in runs.items() if run.bot != bot.id}
    return {run_id: f"{other_bots.get(run_id, '')}{label}" for run_id, label in labels.items()}


def choose_other_bots() -> None:
    """A switch that offers runs of other bots as B (their scenarios have to overlap)."""
    st.toggle(
        t("compare.others"),
        key="compare_others",
        help=t("compare.others_help"),
        persist_state="session",
        on_change=_drop_other_bot,
    )


def _drop_other_bot() -> None:
    if not st.session_state["compare_others"]:
        forget_choice("b")
        st.query_params.pop("b", None)


def comparison_of(store: Store, a: RunRow, b: RunRow) -> RunComparison:
    """The comparison, cached until a run or its scores change."""
    states = store.tables.state(a.id), store.tables.state(b.id)
    return cached(("comparison", a.id, b.id, *states), lambda: compare_runs(store, a, b))


def noise_floor_of(store: Store, bot: str, judge: str, criterion: str) -> Difference | None:
    """The bot's noise floor, cached until the bot's runs change."""
    runs = tuple((run.id, run.status) for run in store.runs.all(bot))
    return cached(("noise", bot, judge, criterion, *runs), lambda: noise_floor(store, bot, judge, criterion))


def choose_criterion(runs: RunComparison) -> tuple[str, str] | None:
    """The (judge, criterion) that decides; None if nothing is scored."""
    names = runs.scores.criteria
    main = runs.scores.main_criterion()
    if main is None or len(names) < 2:
        return main
    ordered = [main, *(name for name in names if name != main)]
    labels = {f"{judge} {name}": criterion_label(judge, name, t) for judge, name in ordered}
    judge, _, name = choose_in_url("by", t("compare.by"), labels).rpartition(" ")
    return judge, name
