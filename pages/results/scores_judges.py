"""The judges of a run: whose scores are shown, in which version, and more judges for a finished run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.names import judge_name
from core.analysis.stability import self_agreement
from core.base.types import Bot
from core.runs.judging.jobs import JudgingJob, JudgingRequest
from core.store.headline import first_judge, judges_in_order
from core.store.judge_versions import by_turns_seen
from core.store.rows import JudgeVersion, RunRow
from pages.components.appearance import percent, show_errors
from pages.components.judge_picker import choose_judges, judge_options, show_judging
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import language, t


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
        options = judge_options(names, f"add-{run.id}")
        label, key, help_text = t("judging.repeats"), f"repeats-{run.id}", t("judging.repeats_help")
        repeats = st.number_input(label, 1, 10, 1, key=key, help=help_text)
        if repeats > 1 and not uses_model():
            st.caption(t("judging.repeats_embedded"))
        if st.button(t("judging.start"), icon=":material/play_arrow:", disabled=not names, key="add-judges"):
            with show_errors():
                how = {"language": language(), **options}
                services().judgings.rejudge(run.id, JudgingRequest(names, how, engine(), repeats=int(repeats)))
                st.rerun()


def _show_result(job: JudgingJob) -> None:
    """How far the last judging of the run got."""
    if job.done < job.total:
        st.info(t("judging.stopped", done=job.done, total=job.total), icon=":material/pause:")
    elif job.total:
        st.success(t("judging.done", total=job.total), icon=":material/check:")
    else:
        st.info(t("judging.nothing"), icon=":material/info:")
