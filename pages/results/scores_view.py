"""What is shown of a run: the judge, and the conversations that pass the filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.formatting import percent
from core.analysis.names import judge_name
from core.analysis.run_means import JudgeScores, MeanScore, RunSummary, conversation_scores, mean_of, summarise
from core.analysis.simulator_health import faults_of_run, invalid_in_run
from core.base.types import SIMULATED_USER, Bot
from core.charts.style import Marks
from core.judges.registry import lower_is_better
from core.store.main_scores import judges_in_order, main_judge
from core.store.rows import JudgeVersion, RunRow
from core.store.run_tables import RunTables
from core.store.score_tables import score_values
from core.store.store import Store
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import language, t

T = TypeVar("T")


@dataclass(frozen=True)
class RunView:
    """A run as scored by one judge, with its tables, summary and charts cached."""

    store: Store
    run: RunRow
    bot: Bot
    tables: RunTables
    judge: str
    lower_criteria: frozenset[str]  # the judge's lower-is-better criteria
    marks: Marks
    versions: tuple[tuple[str, str], ...] = ()  # (judge, version) pairs chosen in the address
    persona: str = ""  # only this one is shown, "" for all
    kind: str = ""  # only this one is shown, "" for all
    only_valid: bool = False  # without invalid conversations

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of `make`, computed once for this view and language."""
        view = (self.judge, self.lower_criteria, self.marks, self.versions, self.persona, self.kind)
        return self.tables.cached((name, language(), *view, self.only_valid), make)

    @property
    def pass_mark(self) -> float:
        return self.marks.pass_mark

    @cached_property
    def frame(self) -> pd.DataFrame:
        """`score_values` of the conversations shown, by this judge and the judge of simulated users."""
        return self._filtered(score_values(self.tables, dict(self.versions), {self.judge, SIMULATED_USER}))

    @cached_property
    def conversations(self) -> pd.DataFrame:
        """`RunTables.conversations` of the conversations shown."""
        return self._filtered(self.tables.conversations)

    @property
    def user_faults(self) -> pd.DataFrame:
        """Faults of simulated users in the whole run (`Store.scores.user_faults`)."""
        return faults_of_run(self.store, self.run.id)

    @cached_property
    def invalid(self) -> frozenset[str]:
        """The invalid conversations of this persona and kind."""
        shown = replace(self, only_valid=False).conversations
        return invalid_in_run(self.store, self.run.id) & frozenset(shown["conversation"])

    @property
    def scores(self) -> JudgeScores:
        return JudgeScores(self.frame, self.judge, self.lower_criteria)

    @cached_property
    def main_criterion(self) -> str:
        """`scores.main_criterion`, cached."""
        return self.cached("main_criterion", lambda: self.scores.main_criterion)

    @cached_property
    def lower_is_better(self) -> bool:
        """Whether lower is better for the main criterion."""
        return self.main_criterion in self.lower_criteria

    @cached_property
    def summary(self) -> RunSummary:
        rows: Any = self.conversations.itertuples()
        return self.cached("summary", lambda: summarise(self.frame, rows, self.judge))

    @cached_property
    def score(self) -> MeanScore | None:
        """The main criterion's mean with its interval; None if nothing is scored."""
        scores = conversation_scores
        return self.cached("score", lambda: mean_of("", scores(self.frame, self.main_criterion, self.judge)))

    def _filtered(self, table: pd.DataFrame) -> pd.DataFrame:
        for column, value in (("persona_name", self.persona), ("kind", self.kind)):
            table = table[table[column] == value] if value else table
        return table[~table["conversation"].isin(self.invalid)] if self.only_valid else table


def choose_view(store: Store, run: RunRow, bot: Bot, marks: Marks) -> RunView:
    """Choose judge, persona and kind, each only if there is more than one."""
    tables = store.tables.of_run(run.id)
    columns = iter(st.columns(3, gap="small"))
    judge = choose_judge(tables.judges, columns)
    values = tables.cached("names", lambda: {name: _values(tables, name) for name in ("persona_name", "kind")})
    persona = _choose_value("persona", values["persona_name"], columns)
    kind = _choose_value("kind", values["kind"], columns)
    versions = tuple(version_in_url(tables.versions).items())
    return RunView(store, run, bot, tables, judge, lower_is_better(judge, bot), marks, versions, persona, kind)


def _values(tables: RunTables, column: str) -> list[str]:
    return sorted(str(value) for value in tables.conversations[column].unique() if value)


def _choose_value(name: str, values: list[str], columns: Any) -> str:
    """A persona or kind, "" for all."""
    if len(values) < 2:
        return ""
    labels = {value: t(f"kinds.{value}") if name == "kind" else value for value in values}
    return choose_in_url(name, t(f"scores.{name}"), {"": t(f"scores.all_{name}s"), **labels}, next(columns))


def leave_out_invalid(view: RunView) -> RunView:
    """Show the mean with and without invalid conversations, and a switch to leave them out."""
    if not view.invalid:
        return view
    valid = replace(view, only_valid=True)
    means = {"all": _mean_text(view.score), "valid": _mean_text(valid.score)}
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        is_on = st.toggle(t("scores.leave_out_invalid"), key=f"only-valid-{view.run.id}")
        st.caption(t("scores.invalid", n=f"{len(view.invalid):,}", **means), width="content")
    return valid if is_on else view


def _mean_text(score: MeanScore | None) -> str:
    return percent(score.mean) if score else t("common.unscored")


def choose_judge(names: Iterable[str], columns: Iterator[DeltaGenerator] | None = None) -> str:
    """The judge whose scores are shown, the turn judge first; drawn in the next column if there is a choice."""
    judges = judges_in_order(names)
    if len(judges) < 2:
        return main_judge(judges)
    place = next(columns) if columns else None
    return choose_in_url("judge", t("judging.shown"), {name: judge_name(name, t) for name in judges}, place)


def version_in_url(versions: Sequence[JudgeVersion]) -> dict[str, str]:
    """{judge: version in the address}; {} if the run lacks that version (then the one with the most turns counts)."""
    in_url = st.query_params.get("version", "")
    return {version.judge: version.version for version in versions if version.version == in_url}
