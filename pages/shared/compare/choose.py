"""Which two runs are compared, by which criterion; and the comparison itself, made once."""

from __future__ import annotations

import streamlit as st

from core.base.types import Bot
from core.report.looks import criterion_name
from core.run.compared import Compared, compare_runs
from core.run.noise import Floor, noise_floor
from core.store.rows import RunRow
from core.store.store import Store
from pages.shared.draw import bot_names, choose
from pages.shared.judging import judge_label
from pages.shared.runs import run_label
from pages.shared.services import need_store
from pages.shared.words import say


def two_runs(store: Store, bot: Bot) -> tuple[RunRow, RunRow] | None:
    """A (one of the bot's runs) and B (another one, of any bot where that is wanted); none where there is but one run."""
    mine = {run.id: run for run in store.runs(bot.id)}
    asked = st.query_params.get("b", "")
    others = st.session_state.get("compare_others", bool(asked) and asked not in mine)
    known = {run.id: run for run in store.runs()} if others else mine
    if not mine or len(known) < 2:
        return None
    if any(name and store.run(name) is None for name in (st.query_params.get("a", ""), asked)):
        st.info(say("transcripts.unknown_run"), icon=":material/info:")
    left, right = st.columns(2)
    names = bot_names()
    labels = {run.id: _label(run, bot, names) for run in [*mine.values(), *known.values()]}
    with right:
        b = choose("b", say("compare.b"), {name: labels[name] for name in _b_first(mine, known)})
    with left:
        rest = [name for name in mine if name != b]
        if not rest:
            return None
        a = choose("a", say("compare.a"), {name: labels[name] for name in rest})
    return known.get(a) or mine[a], known[b]


def _b_first(mine: dict[str, RunRow], known: dict[str, RunRow]) -> list[str]:
    """The bot's own runs, then the others; where the bot has one run alone, that one is A."""
    own = list(mine) if len(mine) > 1 else []
    return own + [name for name in known if name not in mine]


def _label(run: RunRow, bot: Bot, names: dict[str, str]) -> str:
    return run_label(run) if run.bot == bot.id else f"{names.get(run.bot, run.bot)}: {run_label(run)}"


def other_bots() -> None:
    """Whether runs of other bots may be B (their scenarios have to overlap)."""
    st.toggle(say("compare.others"), key="compare_others", help=say("compare.others_help"), persist_state="session")


def comparison(store: Store, a: RunRow, b: RunRow) -> Compared:
    """The comparison, made anew only when a run or its verdicts have changed."""
    return _compared(a.id, b.id, store.stamp(a.id), store.stamp(b.id))


def floor_of(store: Store, bot: str, judge: str, criterion: str) -> Floor | None:
    """The bot's noise floor, looked for anew when it has another run or more verdicts."""
    runs = tuple((run.id, run.status) for run in store.runs(bot))
    return _floor(bot, judge, criterion, runs)


@st.cache_resource(show_spinner=False, max_entries=8)
def _compared(a: str, b: str, stamp_a: object, stamp_b: object) -> Compared:
    store = need_store()
    rows = store.run(a), store.run(b)
    assert rows[0] and rows[1]
    return compare_runs(store, rows[0], rows[1])


@st.cache_data(show_spinner=False, max_entries=16)
def _floor(bot: str, judge: str, criterion: str, runs: tuple[tuple[str, str], ...]) -> Floor | None:
    return noise_floor(need_store(), bot, judge, criterion)


def decisive(found: Compared) -> tuple[str, str] | None:
    """The judge and criterion that the page is about; no choice where there is one alone."""
    names = found.comparison.criteria
    head = found.comparison.headline()
    if head is None or len(names) < 2:
        return head
    ordered = [head, *(name for name in names if name != head)]
    labels = {f"{judge} {name}": criterion_label(judge, name) for judge, name in ordered}
    judge, _, name = choose("by", say("compare.by"), labels).rpartition(" ")
    return judge, name


def criterion_label(judge: str, criterion: str) -> str:
    """A criterion with its judge before it; the turn judge goes without saying."""
    name = criterion_name(criterion, say)
    told = judge_label(judge)
    if judge == "turn":
        return name
    if told == name:  # as a criterion of the turn judge may be called, too
        return say("compare.by_judge", name=name)
    return told if told.endswith(name) else f"{told}: {name}"
