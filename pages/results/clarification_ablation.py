"""What clarifying questions bring: the same cases without them, and a button that runs these."""

from __future__ import annotations

from contextlib import suppress
from typing import get_args

import pandas as pd
import streamlit as st

from core.analysis.ablation import Ablation, ablations
from core.analysis.compare_runs import changes_of
from core.analysis.formatting import percent, points, points_range
from core.analysis.names import judge_name
from core.analysis.run_means import JudgeScores, judges_in
from core.analysis.snapshot_changes import Area
from core.base.errors import BadInput
from core.base.types import Bot
from core.charts.clarification import ablation_chart
from core.judges.registry import lower_is_better
from core.runs.plan import Plan, has_same_cases, plan_of
from core.runs.rerun import first_messages_source
from core.store.rows import RunRow
from core.store.score_tables import score_values
from core.store.store import Store
from pages.components.appearance import show_errors
from pages.components.chart import draw_chart
from pages.components.cost import spending_text
from pages.components.links import scores_link
from pages.components.plain_text import plain
from pages.components.provenance import show_provenance_of_each
from pages.components.run_picker import run_label, run_labels
from pages.components.services import services
from pages.components.session import engine, uses_model
from pages.components.widgets import choose, show_rows
from pages.i18n.translate import language, t
from pages.results.scores_view import choose_judge

AREAS = tuple(area for area in get_args(Area) if area != "plan")  # the plans differ in the switch alone


def show_ablation(store: Store, run: RunRow, bot: Bot, frame: pd.DataFrame) -> None:
    """Compare the run with its partner (the same cases with the switch the other way), and offer to run one."""
    plan = plan_of(run)
    st.subheader(t("clarification.ablation" if plan.clarify else "clarification.ablation_off"), anchor=False)
    st.caption(t("clarification.ablation_lead" if plan.clarify else "clarification.ablation_lead_off"))
    partners = _partners(store, run, plan)
    finished = [partner for partner in partners if partner.status != "running"]
    for partner in partners:
        if partner.status == "running":
            label = plain(run_label(partner))
            st.info(t("clarification.partner_running", run=label), icon=":material/progress_activity:")
    if finished:
        _show_comparison(store, run, _choose_partner(finished), bot, frame)
    if run.status != "running":
        _show_start_button(store, run, plan, is_primary=not partners)


def _partners(store: Store, run: RunRow, plan: Plan) -> list[RunRow]:
    """The runs of the same cases that differ in the switch, the newest first; one with a damaged plan is left out."""
    partners: list[RunRow] = []
    for other in store.runs.all(run.bot):
        if other.id != run.id and not other.is_answer_file:
            with suppress(BadInput):
                theirs = plan_of(other)
                if theirs.clarify != plan.clarify and has_same_cases(plan, theirs):
                    partners.append(other)
    return partners


def _choose_partner(partners: list[RunRow]) -> RunRow:
    if len(partners) == 1:
        return partners[0]
    key = f"partner-{partners[0].bot}-{language()}"
    chosen = choose(t("clarification.partner"), run_labels(partners), key=key)
    return next(partner for partner in partners if partner.id == chosen)


def _show_comparison(store: Store, run: RunRow, partner: RunRow, bot: Bot, frame: pd.DataFrame) -> None:
    asks = plan_of(run).clarify
    own, theirs = score_values(store.tables.of_run(run.id)), score_values(store.tables.of_run(partner.id))
    asking, without = (own, theirs) if asks else (theirs, own)
    judges = [name for name in judges_in(asking) if name in judges_in(without)]
    if not judges:
        st.info(t("clarification.no_common_judge"), icon=":material/info:")
        return
    judge = choose_judge(judges)
    first = frame[frame["turn"] == 1]
    needed = dict(zip(map(str, first["scenario"]), first["needs_asking"], strict=True))
    judged = JudgeScores(asking, judge, lower_is_better(judge, bot))
    only_last = st.toggle(t("clarification.last"), key="ablation-last", help=t("clarification.last_help"))
    pairs = ablations(judged, without, needed, only_last)
    chart = ablation_chart(pairs, t)
    draw_chart(st, chart, t("clarification.ablation_difference"), "ablation")
    _draw_table(pairs)
    with_asking, without_asking = (run, partner) if asks else (partner, run)
    columns = {"with": with_asking, "without": without_asking}
    show_provenance_of_each(store, {t(f"clarification.column_{name}"): shown for name, shown in columns.items()}, judge)
    if judged.lower_is_better:
        st.caption(t("clarification.lower_is_better", judge=plain(judge_name(judge, t))))
    changed = {change.area for change in changes_of(store, run, partner)}
    if names := [t(f"clarification.changed_{area}") for area in AREAS if area in changed]:
        what = t("common.comma").join(names)
        st.warning(t("clarification.changed", what=what), icon=":material/difference:")
    scores_link(partner.bot, partner.id, t("clarification.open_partner"))


def _draw_table(pairs: list[Ablation]) -> None:
    rows = [
        {
            "of": t(f"clarification.of_{ablation.group}"),
            "with": percent(ablation.asking),
            "without": percent(ablation.without),
            "difference": points(ablation.difference) + _interval_text(ablation),
            "pairs": ablation.pairs,
            "left_out": ablation.left_out,
        }
        for ablation in pairs
    ]
    columns = {name: t(f"clarification.column_{name}") for name in rows[0]}
    show_rows(rows, column_config=columns, key=f"ablation-{language()}")


def _interval_text(ablation: Ablation) -> str:
    if ablation.low is None or ablation.high is None:
        return ""
    return t("clarification.edges", interval=points_range(ablation.low, ablation.high, t))


def _show_start_button(store: Store, run: RunRow, plan: Plan, is_primary: bool) -> None:
    """A button that runs the same plan with the switch the other way."""
    switched = {"clarify": not plan.clarify, "first_messages_from_run": first_messages_source(run.id, plan)}
    label = t("clarification.run_without" if plan.clarify else "clarification.run_with", n=f"{run.total:,}")
    spent = store.calls.spending(run.id)
    if uses_model() and spent.calls:
        st.caption(t("clarification.will_cost", spent=spending_text(spent)))
    kind = "primary" if is_primary else "secondary"
    if st.button(label, icon=":material/compare_arrows:", type=kind, key="ablation-start"):
        with show_errors():
            services().runner.start(plan.model_copy(update=switched), engine())
            st.rerun()
