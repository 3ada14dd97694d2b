"""The judges of a run on the page of its scores: their versions and self-agreement, and letting more of them score."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.analysis.formatting import percent
from core.analysis.self_agreement import self_agreement
from core.base.types import Bot
from core.runs.judging.jobs import JudgingJob
from core.store.rows import JudgeVersion, RunRow
from pages.components.judge_picker import choose_judges, choose_switches, show_judging_job, start_judging_job
from pages.components.services import services
from pages.components.session import uses_model
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.results.scores_view import version_in_url


def choose_judge_version(run_id: str, versions: Sequence[JudgeVersion], judge: str) -> None:
    """Choose the version of a judge that scored the run in several, and show the judge's self-agreement."""
    own = [version for version in versions if version.judge == judge]
    _show_self_agreement(run_id, own, judge)
    if len(own) < 2:
        return
    st.info(t("judging.versions", n=len(own)), icon=":material/difference:")
    labels = {
        version.version: t("judging.version", version=version.version[:7], n=version.turns)
        for version in reversed(own)  # the one that counts first
    }
    choose_in_url("version", t("judging.version_shown"), labels)


def _show_self_agreement(run_id: str, versions: Sequence[JudgeVersion], judge: str) -> None:
    """How often a judge that scored the same turns several times agrees with itself."""
    store = services().store
    repeated = store.tables.of_run(run_id).cached("repeated", lambda: store.scores.repeated(run_id))
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


def show_add_judges(run: RunRow, bot: Bot) -> None:
    """Let more judges, or the same ones in a new version, score a finished run."""
    with st.expander(t("judging.add_judges"), icon=":material/gavel:"):
        if show_judging_job(run.id, "scores"):
            return
        job = services().judging_jobs.get(run.id)
        if job and not job.error:
            _show_result(job)
        names = choose_judges(bot, f"add-{run.id}", ())
        switches = choose_switches(names, f"add-{run.id}")
        label, key, help_text = t("judging.repeats"), f"repeats-{run.id}", t("judging.repeats_help")
        repeats = st.number_input(label, 1, 10, 1, key=key, help=help_text)
        if repeats > 1 and not uses_model():
            st.caption(t("judging.repeats_embedded"))
        if st.button(t("judging.start"), icon=":material/play_arrow:", disabled=not names, key="add-judges"):
            start_judging_job(run.id, names, switches, int(repeats))


def _show_result(job: JudgingJob) -> None:
    if job.done < job.total:
        st.info(t("judging.stopped", done=job.done, total=job.total), icon=":material/pause:")
    elif job.total:
        st.success(t("judging.done", total=job.total), icon=":material/check:")
    else:
        st.info(t("judging.nothing"), icon=":material/info:")
