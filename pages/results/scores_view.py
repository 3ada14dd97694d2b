"""What is shown of a run: the judge, the conversations that pass the filters, and what more judges would say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.aggregate import JudgeScores, MeanScore, RunSummary, conversation_scores, mean_of, summarise
from core.analysis.formatting import percent
from core.analysis.names import judge_name
from core.analysis.simulator_health import faults_of_run, invalid_in_run
from core.analysis.stability import self_agreement
from core.base.types import Bot
from core.judges.registry import lower_is_better
from core.runs.judging.jobs import JudgingJob
from core.store.headline import SIMULATED_USER, first_judge, judges_in_order
from core.store.judge_versions import by_turns_seen
from core.store.rows import JudgeVersion, RunRow
from core.store.run_tables import RunTables
from core.store.score_tables import score_values
from core.store.store import Store
from pages.components.judge_picker import choose_judges, choose_switches, show_judging, start_judging
from pages.components.services import services
from pages.components.session import uses_model
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import language, t

T = TypeVar("T")


@dataclass(frozen=True)
class RunView:
    """A run as scored by one judge, with its tables, summary and charts cached.

    lower_criteria: the judge's criteria of which lower is better; versions: (judge, version) pairs chosen in the
    address; persona, kind: the only ones shown, "" for all; only_valid: without invalid conversations.
    """

    store: Store
    run: RunRow
    bot: Bot
    tables: RunTables
    judge: str
    lower_criteria: frozenset[str]
    pass_mark: float
    versions: tuple[tuple[str, str], ...] = ()
    persona: str = ""
    kind: str = ""
    only_valid: bool = False

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of `make`, computed once for this view and language."""
        view = (self.judge, self.lower_criteria, self.pass_mark, self.versions, self.persona, self.kind)
        return self.tables.cached((name, language(), *view, self.only_valid), make)

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
    def judged(self) -> JudgeScores:
        """The scores shown as charts take them."""
        return JudgeScores(self.frame, self.judge, self.lower_criteria)

    @cached_property
    def headline(self) -> str:
        """The criterion that stands for the judge."""
        return self.cached("headline", lambda: self.judged.headline)

    @cached_property
    def lower_is_better(self) -> bool:
        """Whether lower is better for the headline criterion."""
        return self.headline in self.lower_criteria

    @cached_property
    def summary(self) -> RunSummary:
        """The run in numbers."""
        rows: Any = self.conversations.itertuples()
        return self.cached("summary", lambda: summarise(self.frame, rows, self.judge))

    @cached_property
    def score(self) -> MeanScore | None:
        """The headline's mean with its interval; none if nothing is scored."""
        return self.cached("score", lambda: mean_of("", conversation_scores(self.frame, self.headline, self.judge)))

    def _filtered(self, table: pd.DataFrame) -> pd.DataFrame:
        for column, value in (("persona_name", self.persona), ("kind", self.kind)):
            table = table[table[column] == value] if value else table
        return table[~table["conversation"].isin(self.invalid)] if self.only_valid else table


def choose_view(store: Store, run: RunRow, bot: Bot, pass_mark: float) -> RunView:
    """Choose judge, persona and kind, each only if there is more than one."""
    tables = store.tables.of_run(run.id)
    columns = iter(st.columns(3, gap="small"))
    judge = choose_judge(tables.judges, columns)
    values = tables.cached("names", lambda: {name: _values(tables, name) for name in ("persona_name", "kind")})
    persona = _choose_value("persona", values["persona_name"], columns)
    kind = _choose_value("kind", values["kind"], columns)
    versions = tuple(version_in_url(tables.versions).items())
    return RunView(store, run, bot, tables, judge, lower_is_better(judge, bot), pass_mark, versions, persona, kind)


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
        return first_judge(judges)
    place = next(columns) if columns else None
    return choose_in_url("judge", t("judging.shown"), {name: judge_name(name, t) for name in judges}, place)


def version_in_url(versions: Sequence[JudgeVersion]) -> dict[str, str]:
    """{judge: version} of the version in the address; empty if the run does not have it (then the one that saw the most turns counts)."""
    in_url = st.query_params.get("version", "")
    return {version.judge: version.version for version in versions if version.version == in_url}


def choose_judge_version(run_id: str, versions: Sequence[JudgeVersion], judge: str) -> None:
    """Choose the version of a judge that scored the run in several, and show the judge's self-agreement."""
    own = [version for version in versions if version.judge == judge]
    _show_self_agreement(run_id, own, judge)
    if len(own) < 2:
        return
    st.info(t("judging.versions", n=len(own)), icon=":material/difference:")
    labels = {
        version.version: t("judging.version", version=version.version[:7], n=version.turns)
        for version in reversed(by_turns_seen(own))  # the one that counts first
    }
    choose_in_url("version", t("judging.version_shown"), labels)


def _show_self_agreement(run_id: str, versions: Sequence[JudgeVersion], judge: str) -> None:
    """How often a judge that scored the same turns several times agrees with itself."""
    repeated = _repeated_scores(run_id, services().store.scores.newest().score)
    if repeated.empty:
        return
    repeated_versions = repeated.loc[repeated["judge"] == judge, "version"]
    version = version_in_url(versions).get(judge) or next(iter(repeated_versions.mode()), "")
    agreement = self_agreement(repeated, judge, version)
    if agreement is None:
        return
    deviation, share = f"{agreement.deviation * 100:.1f}", percent(agreement.agreement)
    counts = {"turns": f"{agreement.turns:,}", "verdicts": agreement.verdicts}
    st.caption(t("judging.self_agreement", agreement=share, deviation=deviation, **counts))
    if agreement.agreement == 1.0:
        st.caption(t("judging.self_agreement_embedded"))


@st.cache_data(show_spinner=False, max_entries=4)
def _repeated_scores(run_id: str, newest_score: int) -> pd.DataFrame:
    """The repeated scores of a run; `newest_score` makes the cache read them again after a judging."""
    del newest_score
    return services().store.scores.repeated(run_id)


def show_add_judges(run: RunRow, bot: Bot) -> None:
    """Let more judges, or the same ones in a new version, score a finished run."""
    with st.expander(t("judging.add_judges"), icon=":material/gavel:"):
        if show_judging(run.id, "scores"):
            return
        job = services().judgings.get(run.id)
        if job and not job.error:
            _show_result(job)
        names = choose_judges(bot, f"add-{run.id}", ())
        switches = choose_switches(names, f"add-{run.id}")
        label, key, help_text = t("judging.repeats"), f"repeats-{run.id}", t("judging.repeats_help")
        repeats = st.number_input(label, 1, 10, 1, key=key, help=help_text)
        if repeats > 1 and not uses_model():
            st.caption(t("judging.repeats_embedded"))
        if st.button(t("judging.start"), icon=":material/play_arrow:", disabled=not names, key="add-judges"):
            start_judging(run.id, names, switches, int(repeats))


def _show_result(job: JudgingJob) -> None:
    """How far the last judging of the run got."""
    if job.done < job.total:
        st.info(t("judging.stopped", done=job.done, total=job.total), icon=":material/pause:")
    elif job.total:
        st.success(t("judging.done", total=job.total), icon=":material/check:")
    else:
        st.info(t("judging.nothing"), icon=":material/info:")
