"""Questions from a bot's documents or a log of real ones, and their review before they are added to a bot."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.base.tables import columns_of
from core.base.types import Bot
from core.datasets.dataset_bot import add_items
from core.datasets.dataset_jobs import CALL_SECONDS, DocumentQuestionsJob, read_drafts, save_drafts
from core.datasets.items import Item
from core.datasets.question_log import Group, group_questions, items_of, questions_in
from core.llm.roles import ModelEngine
from pages.components.appearance import show_errors
from pages.components.cost import rough_duration
from pages.components.job_progress import show_early_end, watch_job
from pages.components.services import services
from pages.components.session import engine
from pages.components.uploaded_table import upload_table
from pages.components.widgets import action_button, show_rows
from pages.i18n.translate import t

grouped = st.cache_data(show_spinner=False, max_entries=2)(group_questions)


def show_document_questions(bot: Bot) -> None:
    if job := services().datasets.running(_key(bot)):
        watch_job(job, "test_set")
        return
    _show_start(bot)
    review(bot)


def _key(bot: Bot) -> str:
    return f"bot:{bot.id}"


def _show_start(bot: Bot) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(t("test_set.count"), 5, 1_000, 60)
        seed = st.number_input(t("test_set.seed"), 0, 1_000_000, 1, help=t("test_set.seed_help"))
        if st.button(t("test_set.make_questions"), type="primary", icon=":material/play_arrow:"):
            services().datasets.start(_key(bot), DocumentQuestionsJob(engine(), bot, int(count), int(seed)))
            st.rerun()
    if isinstance(engine(), ModelEngine):
        calls = round(int(count) * 0.9)
        st.caption(t("test_set.estimate_calls", n=f"{calls:,}", time=rough_duration(calls * CALL_SECONDS)))
    show_early_end(services().datasets.get(_key(bot)), "test_set")


def review(bot: Bot) -> None:
    """The questions that wait, in a table: leave some out, change the words, then add them to the bot."""
    drafts = list(read_drafts(bot))
    if not drafts:
        return
    st.subheader(t("test_set.review", n=len(drafts)), anchor=False)
    st.caption(t("test_set.review_lead"))
    chosen = _review_table(bot, drafts)
    with st.container(horizontal=True):
        label = t("test_set.add_questions", n=len(chosen))
        if st.button(label, type="primary", icon=":material/playlist_add:", disabled=not chosen):
            with show_errors():
                added = add_items(bot, chosen)
                save_drafts(bot, ())
                st.toast(t("test_set.added", n=added), icon=":material/check:")
                st.rerun()
        action_button(t("test_set.discard"), "delete", save_drafts, bot, ())


def _review_table(bot: Bot, drafts: list[Item]) -> list[Item]:
    """The questions that are ticked, with their words as edited."""
    rows = [
        {
            "use": True,
            "question": item.question,
            "kind": t(f"kinds.{item.kind}"),
            "answer": item.answer,
            "facts": item.facts,
            "choices": t("common.comma").join(item.choices),
            "document": t("common.comma").join(item.documents),
        }
        for item in drafts
    ]
    text = st.column_config.TextColumn
    edited = st.data_editor(
        pd.DataFrame(rows),
        hide_index=True,
        height=520,
        disabled=["kind", "choices", "document"],
        key=f"review-{bot.id}-{hash(tuple(item.question for item in drafts))}",
        column_config={
            "use": st.column_config.CheckboxColumn(t("test_set.use"), width="small"),
            "question": text(t("test_set.item_question"), width="large"),
            "kind": text(t("test_set.item_kind")),
            "answer": text(t("test_set.item_answer"), width="large"),
            "facts": text(t("scenarios.facts")),
            "choices": text(t("test_set.choices")),
            "document": text(t("failures.document")),
        },
    )
    rows = edited.to_dict("records")
    return [
        item.model_copy(update={name: str(row[name] or "") for name in ("question", "answer", "facts")})
        for item, row in zip(drafts, rows, strict=True)
        if row["use"] and str(row["question"] or "").strip()
    ]


def show_log(bot: Bot) -> None:
    groups = grouped(_questions())
    if groups:
        masked = sum(len(group.masked) for group in groups)
        st.caption(t("test_set.grouped", n=len(groups), of=sum(len(group.members) for group in groups), masked=masked))
        _show_groups(groups)
        action_button(t("test_set.to_review", n=len(groups)), "checklist", _save_groups, bot, groups, type="primary")
    review(bot)


def _save_groups(bot: Bot, groups: list[Group]) -> None:
    save_drafts(bot, items_of(groups, f"{bot.id}-log"))


def _questions() -> list[str]:
    text = st.text_area(t("test_set.paste"), height=160, max_chars=500_000)
    uploaded = upload_table(t("test_set.upload_log"), "test-set-log")
    if uploaded is None:
        return questions_in(text)
    rows = uploaded.rows
    column = st.selectbox(t("test_set.column"), columns_of(rows))
    return [str(row.get(column) or "") for row in rows]


def _show_groups(groups: list[Group]) -> None:
    rows = [
        {
            "question": group.question,
            "members": len(group.members),
            "masked": t("common.comma").join(_masked_text(*masked) for masked in group.masked),
            "others": " / ".join(member for member in group.members if member != group.question)[:300],
        }
        for group in groups
    ]
    columns = {
        "question": st.column_config.Column(t("test_set.item_question"), width="large"),
        "members": t("test_set.group_size"),
        "masked": t("test_set.masked"),
        "others": st.column_config.Column(t("test_set.others"), width="large"),
    }
    show_rows(rows, height=320, column_config=columns)


def _masked_text(kind: str, text: str) -> str:
    return f"{t(f'test_set.mask_{kind}')}{t('common.colon')}{text}"
