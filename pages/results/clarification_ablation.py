"""What asking back brings: the same cases without it, paired; and one click that lets them run."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.analysis.ablation import Ablation, ablations
from core.analysis.aggregate import headline, judges_in
from core.base.types import Bot
from core.charts.clarification import ablation_chart
from core.charts.formatting import points
from core.runs.plan import Plan, same_cases
from core.store.records import RunRow
from core.store.store import Store
from pages.components.appearance import percent, show_errors
from pages.components.cost import spent_line
from pages.components.judge_picker import judge_label, lower_is_better
from pages.components.plain_text import plain
from pages.components.run_actions import is_answer_file
from pages.components.run_labels import run_label, run_labels
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.i18n.translate import language, t
from pages.results.clarification_card import plot
from pages.results.scores_judges import choose_judge

KEPT = ("bot_toml", "documents", "judges", "engine", "models")


def gain_part(store: Store, run: RunRow, bot: Bot, frame: pd.DataFrame) -> None:
    """The section: the comparison where there is a partner, else the button that makes one."""
    st.subheader(t("clarification.ablation"), anchor=False)
    plan = Plan.model_validate(run.plan)
    st.caption(t("clarification.ablation_lead" if plan.clarify else "clarification.ablation_lead_off"))
    found = partners(store, run, plan)
    over = [one for one in found if one.status != "running"]
    for one in found:
        if one.status == "running":
            st.info(t("clarification.partner_running", run=plain(run_label(one))), icon=":material/progress_activity:")
    if over:
        _compared(store, run, _chosen(over), plan.clarify, bot, frame)
    if run.status != "running":
        _start(store, run, plan, bool(found))


def partners(store: Store, run: RunRow, plan: Plan) -> list[RunRow]:
    """The runs of the same cases that differ in asking back alone, the newest first."""
    others = [one for one in store.runs(run.bot) if one.id != run.id and not is_answer_file(one)]
    plans = [(one, Plan.model_validate(one.plan)) for one in others]
    return [one for one, other in plans if other.clarify != plan.clarify and same_cases(plan, other)]


def _chosen(found: list[RunRow]) -> RunRow:
    """The newest one, or the one that was picked."""
    if len(found) == 1:
        return found[0]
    known, labels = {one.id: one for one in found}, run_labels(found)
    label = t("clarification.partner")
    key = f"asking-partner-{found[0].bot}-{language()}"
    return known[st.selectbox(label, list(known), format_func=lambda name: labels[name], key=key)]


def _compared(store: Store, run: RunRow, partner: RunRow, asks: bool, bot: Bot, frame: pd.DataFrame) -> None:
    mine, theirs = store.score_values(run.id), store.score_values(partner.id)
    asking, without = (mine, theirs) if asks else (theirs, mine)
    judges = [name for name in judges_in(asking) if name in judges_in(without)]
    if not judges:
        st.info(t("clarification.no_common_judge"), icon=":material/info:")
        return
    judge = choose_judge(judges)
    needed = {str(row.scenario): row.needs_asking for row in frame[frame["turn"] == 1].itertuples()}
    criterion = headline(asking, judge)
    last = st.toggle(t("clarification.last"), key="asking-last", help=t("clarification.last_help"))
    found = ablations(asking, without, needed, criterion, judge, last)
    plot(st, ablation_chart(found, t), "clarification.ablation_difference")
    _table(found)
    if criterion in lower_is_better(judge, bot):
        st.caption(t("clarification.less_is_better", judge=plain(judge_label(judge))))
    if changed := _changed(store, run, partner):
        st.warning(t("clarification.changed", what=changed), icon=":material/difference:")
    asked, icon = {"bot": partner.bot, "run": partner.id}, ":material/bar_chart:"
    st.page_link("pages/results/scores.py", label=t("clarification.open_partner"), icon=icon, query_params=asked)


def _table(found: list[Ablation]) -> None:
    """The numbers behind the chart."""
    rows = [
        {
            "of": t(f"clarification.of_{one.of}"),
            "with": percent(one.asking),
            "without": percent(one.without),
            "difference": points(one.difference) + _edges(one),
            "pairs": one.pairs,
            "left_out": one.left_out,
        }
        for one in found
    ]
    columns = {name: st.column_config.Column(t(f"clarification.column_{name}")) for name in rows[0]}
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=columns, key=f"gain-{language()}")


def _edges(one: Ablation) -> str:
    return "" if one.low is None else t("clarification.edges", low=points(one.low), high=points(one.high))


def _changed(store: Store, run: RunRow, partner: RunRow) -> str:
    """What else differs between the two runs, by name; empty where nothing does."""
    one, other = store.snapshot(run.id), store.snapshot(partner.id)
    return t("common.comma").join(
        t(f"clarification.changed_{name}") for name in KEPT if one.get(name) != other.get(name)
    )


def _start(store: Store, run: RunRow, plan: Plan, there: bool) -> None:
    """Hold the same conversations the other way, with the same plan and seed."""
    other = plan.model_copy(update={"clarify": not plan.clarify, "paused": 0.0})
    label = t("clarification.run_without" if plan.clarify else "clarification.run_with", n=f"{run.total:,}")
    spent = store.spending(run.id)
    if uses_model() and spent.calls:
        st.caption(t("clarification.will_cost", spent=spent_line(spent)))
    kind = "secondary" if there else "primary"
    if st.button(label, icon=":material/compare_arrows:", type=kind, key="asking-start"):
        with show_errors():
            services().batches.start(other, engine())
            st.rerun()
