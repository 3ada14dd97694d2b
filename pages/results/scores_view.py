"""What the results page shows: whose scores of which conversations, chosen at its top."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from core.analysis.aggregate import MeanScore, RunSummary, conversation_scores, headline, mean_of, summarise
from core.analysis.simulator_health import SIMULATED_USER as HEALTH
from core.analysis.simulator_health import invalid_conversations
from core.base.types import Bot
from core.store.rows import RunRow
from core.store.run_tables import RunTables
from core.store.score_tables import score_values
from core.store.store import Store
from pages.components.appearance import percent
from pages.components.judge_picker import judge_label, lower_is_better
from pages.components.run_picker import choose_run_of
from pages.components.services import services
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import language, t
from pages.results.scores_judges import chosen_versions

Table = Any  # pandas tells little of its types


T = TypeVar("T")


@dataclass(frozen=True)
class Shown:
    """A run by one judge; all of it is worked out once for a state of the run, whoever looks at it.

    lower: the judge's criteria of which less is better; versions: of judges, where one was asked for; persona, kind:
    what the page is kept to, "" for all; clean: without the conversations whose simulated user was spoilt.
    """

    run: RunRow
    bot: Bot
    tables: RunTables
    judge: str
    lower: frozenset[str]
    line: float
    versions: tuple[tuple[str, str], ...] = ()
    persona: str = ""
    kind: str = ""
    clean: bool = False

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` gives for this choice; worked out once, in each language."""
        chosen = (self.judge, self.lower, self.line, self.versions, self.persona, self.kind, self.clean)
        return self.tables.cached((name, language(), *chosen), make)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """`Store.score_values` of the conversations that are shown, by this judge and the one of simulated users."""
        return self._narrowed(score_values(self.tables, dict(self.versions), {self.judge, HEALTH}))

    @cached_property
    def talks(self) -> pd.DataFrame:
        """`Look.talks` of those that are shown."""
        return self._narrowed(self.tables.conversations)

    @cached_property
    def faults(self) -> pd.DataFrame:
        """What was found wrong with simulated users (`Store.scores.user_faults`), in the newest of the widest versions."""
        return self.tables.cached("faults", lambda: services().store.scores.user_faults(self.run.id))

    @cached_property
    def invalid(self) -> frozenset[str]:
        """Conversations with a spoilt simulated user, of all that the choice of persona and kind leaves."""
        view = replace(self, clean=False)
        return view.once("spoilt", lambda: invalid_conversations(view.faults) & frozenset(view.talks["conversation"]))

    @cached_property
    def headline(self) -> str:
        """The criterion that stands for the judge."""
        return self.once("headline", lambda: headline(self.frame, self.judge))

    @cached_property
    def less(self) -> bool:
        """Whether less of the headline is better."""
        return self.headline in self.lower

    @cached_property
    def summary(self) -> RunSummary:
        """The run in numbers."""
        return self.once("summary", lambda: summarise(self.frame, self.talks.itertuples(), self.judge))

    @cached_property
    def score(self) -> MeanScore | None:
        """The headline's mean with its interval; none where nothing is scored."""
        return self.once("score", lambda: mean_of("", conversation_scores(self.frame, self.headline, self.judge)))

    def _narrowed(self, table: Table) -> Table:
        for column, wanted in (("persona_name", self.persona), ("kind", self.kind)):
            table = table[table[column] == wanted] if wanted else table
        return table[~table["conversation"].isin(self.invalid)] if self.clean else table


def choose_run(store: Store, bot: Bot) -> RunRow | None:
    """Which run is shown; none where there is no run yet."""
    known = {run.id: run for run in store.runs.all(bot.id)}
    if not known:
        return None
    return choose_run_of(store, known)


def choose_view(store: Store, run: RunRow, bot: Bot, line: float) -> Shown:
    """Judge, persona and kind, each only where there is more than one."""
    tables = store.tables.of_run(run.id)
    places = iter(st.columns(3, gap="small"))
    judge = _judge(tables, places)
    names = tables.cached(
        "names", lambda: {name: _names(tables.conversations[name]) for name in ("persona_name", "kind")}
    )
    persona, kind = (
        _of_one(names[column], name, places) for column, name in (("persona_name", "persona"), ("kind",) * 2)
    )
    versions = tuple(chosen_versions(tables.versions).items())
    return Shown(run, bot, tables, judge, lower_is_better(judge, bot), line, versions, persona, kind)


def _judge(tables: RunTables, places: Any) -> str:
    names = sorted(tables.judges, key=lambda name: name != "turn")
    if len(names) < 2:
        return next(iter(names), "turn")
    return choose_in_url("judge", t("judging.shown"), {name: judge_label(name) for name in names}, next(places))


def _names(column: Table) -> list[str]:
    return sorted(str(one) for one in column.unique() if one)


def _of_one(found: list[str], name: str, places: Any) -> str:
    """The persona or kind that the page is kept to; empty for all."""
    if len(found) < 2:
        return ""
    words = {one: t(f"kinds.{one}") if name == "kind" else one for one in found}
    return choose_in_url(name, t(f"scores.{name}"), {"": t(f"scores.all_{name}s"), **words}, next(places))


def without_spoilt(view: Shown) -> Shown:
    """The view, without the conversations with a spoilt simulated user where the person wants so; both scores are told."""
    if not view.invalid:
        return view
    clean = replace(view, clean=True)
    both = {"n": f"{len(view.invalid):,}", "all": _told(view.score), "clean": _told(clean.score)}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        off = st.toggle(t("scores.leave_out_invalid"), key=f"spoilt-{view.run.id}")
        st.caption(t("scores.invalid", **both), width="content")
    return clean if off else view


def _told(score: MeanScore | None) -> str:
    return percent(score.mean) if score else t("common.unscored")
