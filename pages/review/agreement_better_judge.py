"""A better judge: examples picked from disagreements and other rules, tried on one half of the labels, compared on the other."""

from __future__ import annotations

import json

import streamlit as st

from core.analysis.judge_agreement import LabelledTurns
from core.base.tables import Cells
from core.base.types import Bot, Language
from core.judges.registry import judges_of
from core.optimization.rows import labelled_answers
from core.optimization.search import Options
from core.optimization.tasks import task_for
from core.runs.label_examples import label_examples
from core.runs.prompt_catalog import find_prompt, prompts_of_judge
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.links import page_link
from pages.components.optimization import show_job, show_results, show_start
from pages.components.session import engine, uses_model
from pages.i18n.translate import t

EXAMPLE_SETS, PROPOSALS = 4, 4  # that are tried for a better judge


def show_better_judge(
    store: Store, bot: Bot, labelled: LabelledTurns, judge: str, language_of_labels: Language
) -> None:
    """Examples picked from disagreements, tried on one half of the labels and compared on the other; or a file of them."""
    box = st.expander(t("agreement.better"), icon=":material/auto_awesome:", key="better-judge", on_change="rerun")
    if box.open:
        with box:
            show_box(store, bot, labelled, judge, language_of_labels)
            page_link("build/optimize", t("menu.optimize"), "auto_awesome", bot=bot.id)


def show_box(store: Store, bot: Bot, labelled: LabelledTurns, judge: str, language_of_labels: Language) -> None:
    """What is in the expander."""
    rows = label_examples(store, labelled, judge)
    st.caption(t("agreement.better_lead" if rows else "agreement.better_none"))
    if not rows:
        return
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
    label = t("agreement.better_download", n=f"{len(rows):,}")
    st.download_button(label, data, f"{judge.replace(':', '-')}-labels.jsonl", icon=":material/download:")
    with show_errors():
        _try_examples(bot, judge, rows, language_of_labels)


def _try_examples(bot: Bot, judge: str, rows: list[Cells], language_of_labels: Language) -> None:
    """The search with examples from disagreements, and with other rules if wanted; its results."""
    prompts = prompts_of_judge(judges_of((judge,), bot)[0])
    if not prompts:
        st.caption(t("agreement.better_no_prompt"))
        return
    prompt = find_prompt(prompts[0])
    if not uses_model():
        st.caption(t("agreement.better_embedded"))
    elif not show_job(bot, prompt, language_of_labels):
        st.markdown(f"**{t('agreement.better_try')}**")
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            limit = st.number_input(
                t("optimize.limit"), 0, 1_000, 60, key="better-limit", help=t("optimize.limit_help")
            )
            budget = st.number_input(
                t("optimize.budget"), 0.0, 1e9, 0.0, key="better-budget", help=t("optimize.budget_help")
            )
            rules = st.toggle(t("agreement.better_rules"), key="better-rules", help=t("optimize.rules_help"))
        options = Options(rules=PROPOSALS if rules else 0, examples=EXAMPLE_SETS, limit=int(limit), budget=budget)
        task = task_for(bot, None, prompt.name, language_of_labels, judge, labelled_answers(rows))
        show_start(bot, task, options, engine())
    show_results(bot, prompt, language_of_labels)
