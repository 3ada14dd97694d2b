"""Whether the simulated users of a run can be trusted: their faults, the score without them, and its stability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.analysis.formatting import percent
from core.analysis.run_means import MeanScore, judges_in
from core.analysis.self_agreement import Stability, stability
from core.analysis.simulator_health import (
    FlaggedTurn,
    SimulatorHealth,
    parse_label,
    score_without,
    simulator_health,
    strip_severity,
)
from core.base.types import SIMULATED_USER
from core.store.rows import RunRow, ScoreRow
from pages.components.appearance import show_some
from pages.components.judge_picker import show_judging_job, start_judging_job
from pages.components.links import transcript_link
from pages.components.plain_text import line, markdown_table, plain
from pages.i18n.translate import t
from pages.results.scores_view import RunView

MAX_FLAGGED = 20  # flagged turns listed before "and n more"


class HealthReport(NamedTuple):
    """The faults of simulated users; the mean score with and without invalid conversations; the score's stability."""

    health: SimulatorHealth
    means: tuple[MeanScore | None, MeanScore | None] | None
    stability: Stability | None


def show_simulator_health(view: RunView) -> None:
    """Show the report on the simulated users of the conversations shown; nothing for answers of a file."""
    if view.run.is_answer_file:
        return
    with st.container(border=True):
        st.markdown(f"**:material/health_and_safety: {t('simulator_health.title')}**")
        report = view.cached("health", lambda: _health_report(view))
        if report.health.turns:
            _show_report(report, view.run)
        else:
            _show_check_button(view.run)
        st.caption(_stability_text(report.stability))


def _health_report(view: RunView) -> HealthReport:
    frame, judge = view.frame, view.judge
    version = _user_judge_version(frame)
    same_version = not version or set(view.user_faults["version"]) == {version}
    faults = view.user_faults if same_version else view.store.scores.user_faults(view.run.id, version)
    health = simulator_health(frame, faults)
    if judge not in judges_in(frame):
        return HealthReport(health, None, None)
    has_other_score = bool(health.invalid) and judge != SIMULATED_USER
    means = score_without(frame, health.invalid, judge) if has_other_score else None
    return HealthReport(health, means, stability(frame, view.main_criterion, judge))


def show_user_faults(scores: Sequence[ScoreRow]) -> None:
    """Show what is wrong with the simulated user's message of a turn; nothing if it is fine or was not checked."""
    for score in scores:
        fault = parse_label(score.label, score.reasons) if score.judge == SIMULATED_USER else None
        if fault:
            tag, severity = fault
            text = t(f"simulator_health.{severity}_turn", tag=t(f"simulator_health.tag_{tag}"))
            color = "orange" if severity == "major" else "gray"
            st.caption(f":{color}[:material/flag: **{text}**] {line(strip_severity(score.reasons), 300)}")


def _user_judge_version(frame: pd.DataFrame) -> str:
    """The version of the judge of simulated users in the frame, "" if it has not scored."""
    versions = frame.loc[frame["judge"] == SIMULATED_USER, "version"].unique()
    return next((str(version) for version in versions if version), "")


def _show_report(report: HealthReport, run: RunRow) -> None:
    health = report.health
    counts = {"checked": f"{health.checked:,}", "turns": f"{health.turns:,}", "n": f"{health.conversations:,}"}
    if not health.checked:
        st.markdown(t("simulator_health.unscored", turns=counts["turns"]))
        return
    if not health.flagged:
        st.markdown(t("simulator_health.sound", **counts))
    else:
        invalid, minor = f"{len(health.invalid):,}", f"{len(health.minor):,}"
        st.markdown(t("simulator_health.finding", invalid=invalid, minor=minor, **counts))
        if report.means:
            everything, valid = map(_mean_text, report.means)
            st.markdown(t("simulator_health.scores", all=everything, valid=valid))
        _draw_fault_table(health)
        _show_flagged_turns(health, run)
    st.caption(t("simulator_health.how"))


def _mean_text(mean: MeanScore | None) -> str:
    return t("simulator_health.score_of", score=percent(mean and mean.mean), n=f"{mean.n if mean else 0:,}")


def _draw_fault_table(health: SimulatorHealth) -> None:
    head = (t("simulator_health.fault"), t("simulator_health.severity"), t("scores.turns"))
    rows = [
        (t(f"simulator_health.tag_{tag}"), t(f"simulator_health.{severity}"), f"{count:,}")
        for tag, severity, count in health.counts()
    ]
    st.markdown(markdown_table(head, *rows, rule=("---", "---", "---:")))


def _show_flagged_turns(health: SimulatorHealth, run: RunRow) -> None:
    """Link each flagged turn to its conversation, major faults first."""
    label = t("simulator_health.flagged", n=f"{len(health.flagged):,}")
    turns = sorted(health.flagged, key=lambda turn: (turn.severity != "major", turn.number, turn.turn))
    with st.expander(label, icon=":material/flag:", type="compact"):
        show_some(turns, MAX_FLAGGED, lambda turn: _show_flagged_turn(turn, run))


def _show_flagged_turn(turn: FlaggedTurn, run: RunRow) -> None:
    details = {"number": turn.number, "turn": turn.turn, "tag": t(f"simulator_health.tag_{turn.tag}")}
    label = t("simulator_health.open", severity=t(f"simulator_health.{turn.severity}"), **details)
    with st.container(gap=None):
        transcript_link(run.bot, run.id, turn.conversation, label)
        st.caption(plain(strip_severity(turn.reasons)))


def _show_check_button(run: RunRow) -> None:
    """Say that the simulated users were not checked, with a button that checks them."""
    st.markdown(t("simulator_health.not_checked"))
    if show_judging_job(run.id, "health", SIMULATED_USER):
        return
    label, icon = t("simulator_health.check"), ":material/gavel:"
    if run.status != "running" and st.button(label, icon=icon, key=f"health-{run.id}"):
        start_judging_job(run.id, [SIMULATED_USER])


def _stability_text(stability: Stability | None) -> str:
    """How much scores of repeated conversations differ."""
    if stability is None:
        return t("simulator_health.no_repeats")
    counts = {"cases": f"{stability.cases:,}", "n": f"{stability.conversations:,}"}
    return t("simulator_health.stable", points=f"{stability.deviation * 100:.1f}", **counts)
