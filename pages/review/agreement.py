"""How far judges agree with the people who labelled, and people with each other."""

from __future__ import annotations

import streamlit as st

from core.agreement.agreement import JudgeAgreement
from core.analysis.label_pools import is_chats
from core.analysis.labelled_turns import LabelledTurns, labelled_turns, labels_still_needed
from core.analysis.names import judge_name
from core.base.types import Language
from core.store.labels import chats_of
from pages.components.appearance import heading
from pages.components.bot_picker import bot_names, choose_bot
from pages.components.links import page_link
from pages.components.provenance import show_engines
from pages.components.run_picker import run_labels
from pages.components.services import cached, need_store
from pages.components.url_choice import choose_in_url
from pages.i18n.translate import t
from pages.review.agreement_judges import (
    finding_of,
    show_better_judge,
    show_corrected,
    show_disagreements,
    show_judge,
    show_parts,
    show_repeats,
    show_side_by_side,
    show_threshold,
)
from pages.review.agreement_reviewers import show_counts, show_preferences, show_reviewers

ALL = "all"
store = need_store()


def stop_without_labels(bot: str) -> None:
    """The page stops if nothing is labelled; choices between two replies are shown all the same."""
    if store.labels.pools(bot):
        return
    st.info(t("agreement.nothing"), icon=":material/info:")
    page_link("review/label", t("agreement.to_label"), "rate_review", bot=bot)
    show_preferences(store, bot)
    st.stop()


def choose_pools(bot: str, language_of_bot: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The runs and chats whose labels count, and the language of each."""
    counts = store.labels.pools(bot)
    runs = [run for run in store.runs.all(bot) if run.id in counts]
    options = run_labels(runs)
    if chats_of(bot) in counts:
        options["chats"] = t("label.chats")
    if len(options) > 1:
        options = {ALL: t("agreement.all", n=len(options)), **options}
    chosen = choose_in_url("run", t("agreement.labels_of"), options)
    pools = [run.id for run in runs] + ([chats_of(bot)] if "chats" in options else [])
    if chosen != ALL:
        pools = [chats_of(bot) if chosen == "chats" else chosen]
    return tuple(pools), {run.id: run.language for run in runs} | {chats_of(bot): language_of_bot}


def read_labels(pools: tuple[str, ...], languages: dict[str, str], arbiter: str) -> LabelledTurns:
    """The labels of these pools, cached until a label or a score changes."""
    key = ("labels", pools, tuple(languages.items()), arbiter, store.labels.state(), store.scores.newest())
    return cached(key, lambda: labelled_turns(store, pools, languages, arbiter))


def by_bot(judge: str) -> dict[str, JudgeAgreement]:
    """A judge against all labels of each bot, if several bots have labels."""
    names, bots = bot_names(), store.labels.bots()
    if len(bots) < 2:
        return {}
    labels_by_bot = {bot: read_labels(tuple(store.labels.pools(bot)), {}, "") for bot in bots}
    return {names.get(bot, bot): labelled_of_bot.agreement(judge) for bot, labelled_of_bot in labels_by_bot.items()}


top, bot = choose_bot()
title = top.empty()
heading(t("agreement.title"), t("agreement.lead"), place=title.container())
stop_without_labels(bot.id)
with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
    pools, languages = choose_pools(bot.id, bot.language)
    reviewers = store.labels.reviewers(bot.id)
    arbiter = ""
    if len(reviewers) > 1:
        names = {"": t("agreement.majority")} | {name: name for name in reviewers}
        arbiter = choose_in_url("arbiter", t("agreement.truth"), names)
labelled = read_labels(pools, languages, arbiter)
show_counts(labelled)
if not labelled.people.truth.verdicts:
    st.info(t("agreement.no_truth"), icon=":material/info:")
    show_preferences(store, bot.id)
    st.stop()
if not labelled.judges:
    st.info(t("agreement.no_judge"), icon=":material/gavel:")
    show_preferences(store, bot.id)
    show_reviewers(labelled.people)
    st.stop()
judge = choose_in_url("judge", t("judging.shown"), {name: judge_name(name, t) for name in labelled.judges})
compared = labelled.agreement(judge)
needed = labels_still_needed(labelled, judge)
heading(finding_of(judge, compared), t("agreement.lead"), place=title.container())
if needed.n:
    st.info(t(needed.text_key, n=f"{needed.n:,}"), icon=":material/rate_review:")
show_judge(compared)
show_engines(store, [run for run in store.runs.all(bot.id) if run.id in pools], judge)
run_id = pools[0] if len(pools) == 1 and not is_chats(pools[0]) else ""
spoken: Language = "en" if languages[pools[0]] == "en" else "ja"
show_repeats(labelled, judge, run_id, spoken, bot.id)
show_corrected(labelled, judge)
show_side_by_side(labelled)
show_disagreements(store, bot.id, labelled, judge)
show_better_judge(store, bot, labelled, judge, spoken)
show_threshold(labelled, judge)
show_parts(labelled, judge, by_bot(judge))
show_preferences(store, bot.id)
show_reviewers(labelled.people)
st.caption(t("agreement.method") if labelled.weight_of else t("agreement.method_plain"))
