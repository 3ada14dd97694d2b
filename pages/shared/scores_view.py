"""What the results page shows: whose scores of which conversations, chosen at its top."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd
import streamlit as st

from core.base.types import Bot
from core.report.health import JUDGE as HEALTH
from core.report.health import spoilt
from core.report.means import Measured, measured
from core.report.summary import RunSummary, conversation_scores, headline, summarise
from core.store.look import Look
from core.store.rows import RunRow
from core.store.store import Store
from pages.shared.draw import choose, percent
from pages.shared.judging import judge_label, lower_is_better
from pages.shared.more import chosen_versions
from pages.shared.past import choose_run_of
from pages.shared.words import say

Table = Any  # pandas tells little of its types


@dataclass(frozen=True)
class Shown:
    """A run by one judge.

    frame: `Store.score_values`, talks: `Look.talks`, both of the conversations that are shown; lower: the judge's
    criteria of which less is better; spoilt: conversations with a spoilt simulated user, in or left out.
    """

    run: RunRow
    bot: Bot
    look: Look
    judge: str
    lower: frozenset[str]
    line: float
    frame: pd.DataFrame
    talks: pd.DataFrame
    spoilt: frozenset[str]

    @cached_property
    def less(self) -> bool:
        """Whether less of the headline is better."""
        return headline(self.frame, self.judge) in self.lower

    @cached_property
    def summary(self) -> RunSummary:
        """The run in numbers."""
        return summarise(self.frame, self.talks.itertuples(), self.judge)

    @cached_property
    def score(self) -> Measured | None:
        """The headline's mean with its interval; none where nothing is scored."""
        return measured("", conversation_scores(self.frame, headline(self.frame, self.judge), self.judge))


def choose_run(store: Store, bot: Bot) -> RunRow | None:
    """Which run is shown; none where there is no run yet."""
    known = {run.id: run for run in store.runs(bot.id)}
    if not known:
        return None
    return choose_run_of(store, known)


def choose_view(store: Store, run: RunRow, bot: Bot, line: float) -> Shown:
    """Judge, persona and kind, each only where there is more than one."""
    look = store.look(run.id)
    places = iter(st.columns(3, gap="small"))
    judge = _judge(look, places)
    versions = chosen_versions(look.versions)
    frame = look.values(versions, {judge, HEALTH})
    talks = look.talks
    for column, name in (("persona_name", "persona"), ("kind", "kind")):
        wanted = _of_one(talks, column, name, places)
        talks, frame = (table[table[column] == wanted] if wanted else table for table in (talks, frame))
    bad = spoilt(store.user_faults(run.id)) & frozenset(talks["conversation"])
    return Shown(run, bot, look, judge, lower_is_better(judge, bot), line, frame, talks, bad)


def _judge(look: Look, places: Any) -> str:
    names = sorted(look.judges(), key=lambda name: name != "turn")
    if len(names) < 2:
        return next(iter(names), "turn")
    return choose("judge", say("judging.shown"), {name: judge_label(name) for name in names}, next(places))


def _of_one(talks: Table, column: str, name: str, places: Any) -> str:
    """The persona or kind that the page is kept to; empty for all."""
    found = sorted(str(one) for one in talks[column].unique() if one)
    if len(found) < 2:
        return ""
    words = {one: say(f"kinds.{one}") if name == "kind" else one for one in found}
    return choose(name, say(f"scores.{name}"), {"": say(f"scores_more.all_{name}s"), **words}, next(places))


def without_spoilt(view: Shown) -> Shown:
    """The view, without the conversations with a spoilt simulated user where the person wants so; both scores are told."""
    if not view.spoilt:
        return view
    clean = replace(view, frame=_kept(view.frame, view), talks=_kept(view.talks, view))
    both = {"n": f"{len(view.spoilt):,}", "all": _told(view.score), "clean": _told(clean.score)}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        off = st.toggle(say("scores_more.spoilt_off"), key=f"spoilt-{view.run.id}")
        st.caption(say("scores_more.spoilt", **both), width="content")
    return clean if off else view


def _kept(table: Table, view: Shown) -> Table:
    return table[~table["conversation"].isin(view.spoilt)]


def _told(score: Measured | None) -> str:
    return percent(score.mean) if score else say("common.unscored")
