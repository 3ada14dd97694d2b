"""Can the simulated users be trusted: what was found in them, the score with and without, and how stable it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.analysis.aggregate import MeanScore, judges_in
from core.analysis.simulator_health import (
    SIMULATED_USER,
    FlaggedTurn,
    SimulatorHealth,
    parse_label,
    score_without,
    simulator_health,
    strip_severity,
)
from core.analysis.stability import Stability, stability
from core.store.records import RunRow, ScoreRow
from pages.components.appearance import percent, show_errors
from pages.components.judge_picker import watch_judging
from pages.components.plain_text import line, plain
from pages.components.run_actions import is_answer_file
from pages.components.services import services
from pages.components.session import engine
from pages.i18n.translate import language, t
from pages.results.scores_view import Shown

SHOWN = 20  # flagged turns listed before "and n more"


class Found(NamedTuple):
    """What the panel says of a run: its simulated users, the score with and without spoilt ones, how stable it is."""

    health: SimulatorHealth
    both: tuple[MeanScore | None, MeanScore | None] | None
    stable: Stability | None


def draw_health(view: Shown) -> None:
    """The panel of a run, of the conversations that are shown; nothing for answers of a file, which nobody simulated."""
    if is_answer_file(view.run):
        return
    with st.container(border=True):
        st.markdown(f"**:material/health_and_safety: {t('simulator_health.title')}**")
        found = view.once("health", lambda: _look(view))
        if found.health.turns:
            _found(found, view.run)
        else:
            _not_checked(view.run)
        _stable(found.stable)


def _look(view: Shown) -> Found:
    """What the panel needs, without a word of it."""
    frame, judge = view.frame, view.judge
    version = _version(frame)
    known = not version or set(view.faults["version"]) == {version}
    found = simulator_health(frame, view.faults if known else services().store.user_faults(view.run.id, version))
    there = judge in judges_in(frame)
    both = score_without(frame, found.invalid, judge) if found.invalid and judge != SIMULATED_USER and there else None
    return Found(found, both, stability(frame, view.headline, judge) if there else None)


def turn_flag(scores: Sequence[ScoreRow]) -> None:
    """What is wrong with the simulated user's message of a turn; nothing where it is fine or was not checked."""
    for score in scores:
        fault = parse_label(score.label, score.reasons) if score.judge == SIMULATED_USER else None
        if fault:
            tag, severity = fault
            told_of = t(f"simulator_health.{severity}_turn", tag=t(f"simulator_health.tag_{tag}"))
            color = "orange" if severity == "major" else "gray"
            st.caption(f":{color}[:material/flag: **{told_of}**] {line(strip_severity(score.reasons), 300)}")


def _version(frame: pd.DataFrame) -> str:
    """The version of the judge of simulated users that the frame holds; "" where it holds none."""
    return next((str(one) for one in frame.loc[frame["judge"] == SIMULATED_USER, "version"].unique() if one), "")


def _found(panel: Found, run: RunRow) -> None:
    """The finding, the kinds of faults, and each flagged turn."""
    found = panel.health
    counts = {"checked": f"{found.checked:,}", "turns": f"{found.turns:,}", "n": f"{found.conversations:,}"}
    if not found.checked:
        st.markdown(t("simulator_health.unscored", turns=counts["turns"]))
        return
    if not found.flagged:
        st.markdown(t("simulator_health.sound", **counts))
    else:
        spoilt, minor = f"{len(found.invalid):,}", f"{len(found.minor):,}"
        st.markdown(t("simulator_health.finding", spoilt=spoilt, minor=minor, **counts))
        if panel.both:
            st.markdown(t("simulator_health.scores", all=_score(panel.both[0]), sound=_score(panel.both[1])))
        _tags(found)
        _flagged(found, run)
    st.caption(t("simulator_health.how"))


def _score(mean: MeanScore | None) -> str:
    return t("simulator_health.score_of", score=percent(mean and mean.mean), n=f"{mean.n if mean else 0:,}")


def _tags(found: SimulatorHealth) -> None:
    """How many turns have which fault."""
    rows = [
        f"| {t('simulator_health.fault')} | {t('simulator_health.severity')} | {t('scores.turns')} |",
        "|---|---|---:|",
    ]
    for tag, severity, count in found.counts():
        rows.append(f"| {t(f'simulator_health.tag_{tag}')} | {t(f'simulator_health.{severity}')} | {count:,} |")
    st.markdown("\n".join(rows))


def _flagged(found: SimulatorHealth, run: RunRow) -> None:
    """Each flagged turn with the way to its conversation, major ones first."""
    with st.expander(
        t("simulator_health.flagged", n=f"{len(found.flagged):,}"), icon=":material/flag:", type="compact"
    ):
        for one in sorted(found.flagged, key=lambda one: (one.severity != "major", one.number, one.turn))[:SHOWN]:
            _one(one, run)
        if len(found.flagged) > SHOWN:
            st.caption(t("scores.and_more", n=f"{len(found.flagged) - SHOWN:,}"))


def _one(one: FlaggedTurn, run: RunRow) -> None:
    asked = {"bot": run.bot, "run": run.id, "conversation": one.conversation}
    about = {"number": one.number, "turn": one.turn, "tag": t(f"simulator_health.tag_{one.tag}")}
    label = t("simulator_health.open", severity=t(f"simulator_health.{one.severity}"), **about)
    with st.container(gap=None):
        st.page_link("pages/results/transcripts.py", label=label, icon=":material/forum:", query_params=asked)
        st.caption(plain(strip_severity(one.reasons)))


def _not_checked(run: RunRow) -> None:
    """The judge has not run: one sentence, and the button that lets it."""
    st.markdown(t("simulator_health.not_checked"))
    job = services().judgings.get(run.id)
    if job and job.running:
        watch_judging(job, f"stop-health-{run.id}")
        return
    label, icon = t("simulator_health.check"), ":material/gavel:"
    if run.status != "running" and st.button(label, icon=icon, key=f"health-{run.id}"):
        with show_errors():
            services().judgings.rejudge(run.id, [SIMULATED_USER], {"language": language()}, engine())
            st.rerun()


def _stable(found: Stability | None) -> None:
    """How far scores differ when the same person asks the same again; one line."""
    if found is None:
        st.caption(t("simulator_health.no_repeats"))
        return
    counts = {"cases": f"{found.cases:,}", "n": f"{found.conversations:,}"}
    st.caption(t("simulator_health.stable", points=f"{found.deviation * 100:.1f}", **counts))
