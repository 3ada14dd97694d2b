"""Label turns one after the other: right or not, blind to every verdict, by keyboard alone."""

from __future__ import annotations

import streamlit as st

from core.analysis.label_pools import PoolTurns, is_chats, label_queue, turns_of_pool
from core.analysis.labelled_turns import NeededLabels, labelled_turns, labels_still_needed
from core.analysis.trust import pools_judged_alike
from core.base.errors import BadInput
from core.store.labels import MAX_REVIEWER_NAME, chats_of, reviewer_name
from pages.components.appearance import heading, show_error
from pages.components.bot_picker import choose_bot
from pages.components.links import page_link, simulate_link
from pages.components.run_picker import run_labels
from pages.components.services import cached, need_store
from pages.components.url_choice import choose_in_url, show_share_link
from pages.i18n.translate import t
from pages.review.label_files import show_label_files
from pages.review.label_turn import (
    Labelling,
    draw_turn,
    go_to,
    show_answer_keys,
    show_grades,
    show_moves,
    show_texts,
    show_verdicts,
)

MAX_LABELS_FOR_ESTIMATE = 2_000  # with more labels only the Agreement page says how many are missing: it takes time
store = need_store()


def choose_reviewer() -> str:
    """The reviewer's name, stored in the address so that a reload keeps it; empty if there is none yet."""
    reviewer = st.query_params.get("reviewer", "")
    if "label-reviewer" not in st.session_state:
        st.session_state["label-reviewer"] = reviewer
    typed = st.text_input(
        t("label.reviewer"), key="label-reviewer", help=t("label.reviewer_help"), max_chars=MAX_REVIEWER_NAME
    )
    try:
        name = reviewer_name(typed)
    except BadInput as error:
        if typed.strip():
            show_error(error)
        return ""
    if name != reviewer:
        st.query_params["reviewer"] = name
    return name


def pools_of(bot: str) -> dict[str, str]:
    """The runs, judged files and chats whose turns can be labelled, by id, in words."""
    options = run_labels(store.runs.all(bot))
    if store.labels.conversations(chats_of(bot)):
        options["chats"] = t("label.chats")
    return options


def choose_pool(bot: str, options: dict[str, str]) -> str:
    chosen = choose_in_url("run", t("scores.run"), options)
    return chats_of(bot) if chosen == "chats" else chosen


def read_order(pool: str) -> tuple[PoolTurns, list[int]]:
    """The turns of a run and the order in which they are labelled, cached until a score changes."""

    def read() -> tuple[PoolTurns, list[int]]:
        turns = turns_of_pool(store, pool)
        return turns, [queued.turn_id for queued in label_queue(store, turns)]

    return cached(("label-order", pool, store.scores.newest()), read)


def labels_to_go(pool: str) -> NeededLabels:
    """The labels still needed for a verdict on the judge, besides those of runs judged alike; 0 if no judge scored anything."""
    labelled = labelled_turns(store, (pool,), {})
    if not labelled.judges:
        return NeededLabels(0, first=True)
    judge = labelled.judges[0]
    pools = pools_judged_alike(store, bot.id, pool, judge)
    return labels_still_needed(labelled if pools == (pool,) else labelled_turns(store, pools, {}), judge)


def show_needed() -> None:
    if store.labels.count(pool) > MAX_LABELS_FOR_ESTIMATE:
        return
    state = (store.labels.state(), store.scores.newest())
    needed = cached(("labels-to-go", pool, *state), lambda: labels_to_go(pool))
    if needed.n:
        st.caption(t(needed.text_key, n=f"{needed.n:,}"))


top, bot = choose_bot()
title = top.empty()
heading(t("label.title"), t("label.lead"), place=title.container())
options = pools_of(bot.id)
if not options:
    st.info(t("label.nothing"), icon=":material/info:")
    simulate_link(bot.id)
    page_link("talk/chat", t("label.talk"), "chat", bot=bot.id)
    st.stop()
left, right = st.columns([3, 2], gap="small")
with left:
    pool = choose_pool(bot.id, options)
with right:
    reviewer = choose_reviewer()
if not reviewer:
    st.info(t("label.reviewer_needed"), icon=":material/badge:")
    st.stop()
turns, order = read_order(pool)
if not turns.ids:
    st.info(t("label.nothing_here"), icon=":material/info:")
    st.stop()
work = Labelling(store, pool, reviewer, order)
asked = st.query_params.get("turn", "")
turn_id = int(asked) if asked.isascii() and asked.isdigit() and int(asked) in work.places else None
if asked and turn_id is None:
    st.info(t("label.unknown_turn"), icon=":material/info:")
if turn_id is None:
    turn_id = work.next_open()
    go_to(turn_id)
label = store.labels.get(turn_id, reviewer)
if not work.left:
    heading(t("label.title_done"), t("label.lead_done"), place=title.container())
done = len(work.order) - len(work.left)
st.progress(done / len(work.order), t("label.progress", done=f"{done:,}", total=f"{len(work.order):,}"))
show_needed()
conversation = turns.conversations[turns.ids.index(turn_id)]
left, right = st.columns([3, 2], gap="large")
with left:
    row = draw_turn(store, pool, conversation, turn_id)
with right:
    show_answer_keys(work, label)
    show_moves(work, turn_id)
    show_verdicts(store, bot, row, label, turns)
    show_grades(store, label)
    show_texts(store, bot, conversation, label)
    query = {"bot": bot.id, "run": "chats" if is_chats(pool) else pool, "turn": turn_id}  # without the reviewer's name
    show_share_link(t("label.share_lead"), "label-share", "label", **query)
show_label_files(store, pool, reviewer)
