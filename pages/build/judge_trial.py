"""Judges tried on one example: fields to fill in, and each judge's scores with their reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from core.analysis.formatting import percent
from core.analysis.names import criterion_name, judge_name, label_text
from core.analysis.provenance import agreement_text, measured_agreement, speaker_name
from core.base.prompt import Engine
from core.base.thread_pool import run_with_timeout
from core.base.types import Bot, Sample, Score
from core.judges.base import Judge, JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.runs.judging.judge_options import judge_options_of_bot
from pages.components.appearance import show_errors
from pages.components.judge_picker import choose_judges, choose_switches
from pages.components.plain_text import plain
from pages.components.session import distinct_models, engine, uses_model
from pages.i18n.translate import language, stored_error_text, t, words

TIMEOUT_SECONDS = 90.0  # for all judges
MAX_FIELD_CHARACTERS = 20_000
FIELDS_BY_LINE = ("keypoints", "evidence")  # one a line
Scores = tuple[Score, ...] | None  # None: no verdict in time


class JudgeTrial(NamedTuple):
    sample: Sample
    results: list[tuple[Judge, Scores]]
    judged: str  # "embedded", or names of models


def show_judge_trial(bot: Bot) -> None:
    """Fill in, choose judges, try; what they said stays until the next trial."""
    st.caption(t("judges_page.try_lead"))
    sample = _fields(bot)
    names = choose_judges(bot, f"judge-trial-{bot.id}", ("turn", "correctness"))
    switches = choose_switches(names, "judge-trial")
    state_key = f"judge-tried-{bot.id}"
    if st.button(t("judges_page.try_do"), type="primary", icon=":material/gavel:", disabled=not names):
        with show_errors(), st.spinner(t("judges_page.trying")):
            how = judge_options_of_bot(bot, language()).model_copy(update=dict(switches))
            judged = t("common.comma").join(distinct_models(("judge",))) if uses_model() else "embedded"
            results = judge_sample(engine(), judges_of(names, bot), sample, how)
            st.session_state[state_key] = JudgeTrial(sample, results, judged)
    if state_key in st.session_state:
        _show_result(st.session_state[state_key], sample)


def _fields(bot: Bot) -> Sample:
    """The example, filled in beforehand so that one click shows what a judge says."""
    texts: dict[str, str] = {}
    places = (*st.columns(2), *st.columns(2))  # in rows, so that they stack in order
    for place, name in zip(places, ("question", "answer", "reference", "contexts"), strict=True):
        texts[name] = _field(bot, place, name, words()[f"judges_page.given_{name}"][bot.language])
    with st.expander(t("judges_page.try_more"), icon=":material/more_horiz:"):
        for name in (*FIELDS_BY_LINE, "intent", "facts"):
            texts[name] = _field(bot, st, name, "")
    return Sample(
        question=texts["question"],
        answer=texts["answer"],
        reference=(texts["reference"],) if texts["reference"].strip() else (),
        contexts=tuple(part for part in re.split(r"\n\s*\n", texts["contexts"]) if part.strip()),
        keypoints=tuple(part for part in texts["keypoints"].split("\n") if part.strip()),
        evidence=tuple(part for part in texts["evidence"].split("\n") if part.strip()),
        intent=texts["intent"],
        facts=texts["facts"],
    )


def _field(bot: Bot, place: object, name: str, text: str) -> str:
    label = t("judges_page.try_contexts" if name == "contexts" else f"file.{name}")
    label += f" {t('judges_page.per_line')}" if name in FIELDS_BY_LINE else ""
    key = f"trial-{name}-{bot.id}"
    return place.text_area(label, text, 92, MAX_FIELD_CHARACTERS, key, persist_state="session")  # type: ignore[attr-defined]


def judge_sample(
    engine: Engine, judges: Sequence[Judge], sample: Sample, how: JudgeOptions
) -> list[tuple[Judge, Scores]]:
    """What each judge says; those that share a call go together, and one that takes too long is not waited for."""
    groups: dict[str, list[Judge]] = {}
    for judge in judges:
        groups.setdefault(judge.call if how.together else judge.name, []).append(judge)
    work = {name: partial(judge_all, engine, group, sample, how) for name, group in groups.items()}
    done = run_with_timeout(work, TIMEOUT_SECONDS)
    scores: dict[str, Scores] = {judge.name: None for judge in judges}
    for name, group in groups.items():
        if name in done:
            scores |= {judge.name: tuple(s for s in done[name].result() if s.judge == judge.name) for judge in group}
    return [(judge, scores[judge.name]) for judge in judges]


def _show_result(done: JudgeTrial, sample: Sample) -> None:
    if done.sample != sample:
        st.caption(f":orange[:material/edit: {t('judges_page.try_changed')}]")
    for judge, scores in done.results:
        with st.container(border=True):
            st.markdown(f"**{plain(t('compare.by_judge', name=judge_name(judge.name, t)))}**")
            if scores is None:
                st.warning(t("judges_page.try_slow", seconds=f"{TIMEOUT_SECONDS:.0f}"), icon=":material/timer_off:")
            empty = (score for score in scores or () if score.value is None)
            for why in dict.fromkeys(score.reasons or stored_error_text(score.error) for score in empty):
                st.warning(plain(why), icon=":material/remove:")
            for score in scores or ():
                if score.value is not None:
                    _show_score(judge, score)
            agreements = measured_agreement(judge.name) if done.judged == "embedded" else ()
            by, trust = speaker_name(t, done.judged), agreement_text(t, agreements)
            st.caption(plain(t("judges_page.judged_by", judged=by, trust=trust)))


def _show_score(judge: Judge, score: Score) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if (name := criterion_name(score.criterion, t)) != judge_name(judge.name, t):  # else it stands above
            st.markdown(plain(name), width="content")
        label = plain(label_text(t, score.judge, score.label, score.reasons), links=False)
        st.badge(f"{label} · {percent(score.value)}", color="gray")
        if score.criterion in judge.lower_is_better:
            st.caption(t("judges_page.lower_is_better"), width="content")
    if score.reasons.strip():
        st.caption(plain(score.reasons))
