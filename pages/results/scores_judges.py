"""More than one judge on a run: whose scores are shown, in which version, and letting further ones score it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis.stability import self_agreement
from core.base.errors import BadInput
from core.base.types import Bot
from core.store.records import JudgeVersion, RunRow
from pages.components.appearance import percent, show_errors
from pages.components.judge_picker import judge_label, judge_options, pick_judges, watch_judging
from pages.components.plain_text import plain
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import error_text, language, t


def choose_judge(names: Sequence[str]) -> str:
    """Whose scores the page shows; no choice where there is one judge or none."""
    if len(names) < 2:
        return next(iter(names), "turn")
    return choose_in_url("judge", t("judging.shown"), {name: judge_label(name) for name in names})


def chosen_versions(versions: Sequence[JudgeVersion]) -> dict[str, str]:
    """The version that the address names for its judge, where the run has it; else none, and the widest counts."""
    asked = st.query_params.get("version", "")
    return {one.judge: one.version for one in versions if one.version == asked}


def tell_versions(versions: Sequence[JudgeVersion], judge: str) -> None:
    """Where a judge scored in several versions: which one is shown, with the others to choose."""
    mine = [one for one in versions if one.judge == judge]
    _differing(mine, judge)
    if len(mine) < 2:
        return
    st.info(t("judging.versions", n=len(mine)), icon=":material/difference:")
    widest = sorted(mine, key=lambda one: -one.turns)  # the newest of equals first, as `Store.score_frame` shows them
    labels = {one.version: t("judging.version", version=one.version[:7], n=one.turns) for one in widest}
    choose_in_url("version", t("judging.version_shown"), labels)


def _differing(versions: Sequence[JudgeVersion], judge: str) -> None:
    """How far the judge differs from itself, where it gave several verdicts on a turn."""
    run_id, store = st.query_params.get("run", ""), services().store
    repeated = _repeated(run_id, store.newest_score()) if run_id else None
    if repeated is None or repeated.empty:
        return
    mine = repeated.loc[repeated["judge"] == judge, "version"]
    asked = chosen_versions(versions).get(judge) or next(iter(mine.mode()), "")
    found = self_agreement(repeated, judge, asked)
    if found is None:
        return
    deviation, same = f"{found.deviation * 100:.1f}", percent(found.agreement)
    counts = {"turns": f"{found.turns:,}", "verdicts": found.verdicts}
    st.caption(t("judging.self_agreement", agreement=same, deviation=deviation, **counts))
    if found.agreement == 1.0:
        st.caption(t("judging.self_agreement_embedded"))


@st.cache_data(show_spinner=False, max_entries=4)
def _repeated(run_id: str, newest: int) -> pd.DataFrame:
    """The repeated verdicts of a run; looked up anew when something was judged."""
    del newest
    return services().store.repeated_scores(run_id)


def judge_more(run: RunRow, bot: Bot) -> None:
    """Let further judges, or the same ones in a new version, score a run that is over."""
    with st.expander(t("judging.add_judges"), icon=":material/gavel:"):
        job = services().judgings.get(run.id)
        if job and job.running:
            watch_judging(job, f"stop-{run.id}")
            return
        if job:
            _ended(job.error, job.done, job.total)
        names = pick_judges(bot, f"more-{run.id}", ())
        options = judge_options(names, f"more-{run.id}")
        times = st.number_input(t("judging.repeats"), 1, 10, 1, key=f"times-{run.id}", help=t("judging.repeats_help"))
        if times > 1 and not uses_model():
            st.caption(t("judging.repeats_embedded"))
        if st.button(t("judging.start"), icon=":material/play_arrow:", disabled=not names, key="judge-more"):
            with show_errors():
                how = {"language": language(), **options}
                services().judgings.rejudge(run.id, names, how, engine(), repeats=int(times))
                st.rerun()


def _ended(error: BadInput | None, done: int, total: int) -> None:
    if error:
        st.error(plain(error_text(error)), icon=":material/error:")
    elif done < total:
        st.info(t("judging.stopped", done=done, total=total), icon=":material/pause:")
    elif total:
        st.success(t("judging.done", total=total), icon=":material/check:")
    else:
        st.info(t("judging.nothing"), icon=":material/info:")
