"""Limits to what a run may cost: the fields, whether they can be kept, and what the estimate says about them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.base.errors import BadInput
from core.base.settings import settings
from core.runs.plan import Plan
from pages.components.cost import amount_text, money_limit, prices
from pages.components.plain_text import plain
from pages.components.session import model_names
from pages.i18n.translate import t
from pages.simulate.estimate import estimated


def budget_fields() -> dict[str, Any]:
    """At most so much money, at most so many calls, and whether earlier calls are used."""
    left, middle, right, _ = st.columns(4, vertical_alignment="bottom")
    none = t("estimate.no_limit")
    label, told = t("estimate.budget", currency=plain(prices().currency)), t("estimate.budget_help")
    money = left.number_input(label, 0.0, None, None, 0.5, "%g", key="batch-budget", help=told, placeholder=none)
    label, told = t("estimate.budget_calls"), t("estimate.budget_calls_help")
    calls = middle.number_input(label, 0, None, None, 100, key="batch-budget-calls", help=told, placeholder=none)
    kept = settings().cache
    cache = right.toggle(t("estimate.cache"), kept, key="batch-cache", help=t("estimate.cache_help"), disabled=not kept)
    return {"budget": money or 0.0, "budget_calls": calls or 0, "cache": cache and kept}


def unkept(plan: Plan) -> BadInput | None:
    """Why a limit in money cannot be kept: a model without a price; none where it can, or there is no limit."""
    if not plan.budget:
        return None
    table = prices()
    missing = next((name for name in model_names().values() if name and table.of(name) is None), "")
    if not missing:
        return None
    told = f"There is no price for {missing}, so a cost limit cannot work. Add one to the prices."
    return BadInput(told, "no_price", model=missing)


def guidance(plan: Plan, basis: object) -> None:
    """The limits beside the estimate: whether the run will come to its end within them."""
    found = estimated(basis)
    if found is None or not (plan.budget or plan.budget_calls):
        return
    due = found.due
    money = (plan.budget, due.cost, money_limit(plan), f"{amount_text(due.cost)} {plain(prices().currency)}")
    counts = [t("estimate.calls_n", n=f"{number:,}") for number in (plan.budget_calls, due.calls)]
    calls = (plan.budget_calls, due.calls, *counts)
    for limit, wanted, shown, expected in (money, calls):
        if limit and wanted > limit:
            st.warning(t("estimate.too_little", limit=shown, expected=expected), icon=":material/savings:")
        elif limit:
            st.caption(f":material/check: {t('estimate.enough', limit=shown, expected=expected)}")
