"""The price table to edit: rows to prices and back, and which of the models in use have none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.base.errors import BadInput
from core.llm.prices import Price, Prices, price_file, read_prices, save_prices
from pages.components.appearance import show_errors
from pages.components.editing import EditedTable, edit_broken_file, show_unsaved
from pages.components.plain_text import plain
from pages.components.widgets import action_button
from pages.i18n.translate import t

COLUMNS = ("pattern", "input", "cached", "output")
MONEY = COLUMNS[1:]


def price_frame(prices: Prices) -> pd.DataFrame:
    """One row per price; a missing price for cached input is an empty cell."""
    rows = [[price.pattern, price.input, price.cached, price.output] for price in prices.models]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype({"pattern": "object", **dict.fromkeys(MONEY, "float64")})


def prices_of(table: pd.DataFrame, currency: str) -> Prices:
    """The prices that a table holds, empty rows left out; raises BadInput for the first row that cannot be used."""
    if not currency.strip():
        raise BadInput(t("models.no_currency"))
    prices: list[Price] = []
    for number, cells in enumerate(table.to_dict("records"), 1):
        row = {str(name): _cell_value(cell) for name, cell in cells.items()}
        if all(row[name] is None for name in COLUMNS):
            continue
        prices.append(_price(row, number))
        if any(price.pattern == prices[-1].pattern for price in prices[:-1]):
            raise BadInput(t("models.row_twice", row=number, pattern=prices[-1].pattern))
    return Prices(currency=currency.strip(), models=tuple(prices))


def _cell_value(cell: Any) -> Any:
    """A cell's value, or None if it is empty."""
    if isinstance(cell, str):
        return cell.strip() or None
    return None if cell is None or cell != cell else cell


def _price(row: dict[str, Any], number: int) -> Price:
    if row["pattern"] is None:
        raise BadInput(t("models.row_pattern", row=number))
    for name in MONEY:
        if row[name] is None and name == "cached":
            continue
        if row[name] is None or not math.isfinite(float(row[name])) or float(row[name]) < 0:
            raise BadInput(t("models.row_money", row=number, column=t(f"models.{name}")))
    return Price(**row)


def show_prices(models: Sequence[str]) -> None:
    """The table, and the models in use that it knows nothing of."""
    try:
        now = read_prices()
    except BadInput as error:
        edit_broken_file(error, price_file(), read_prices)
        return
    st.caption(t("models.prices_lead"))
    _show_editor(now)
    if models:
        st.markdown(f"**{t('models.prices_now')}**")
        st.markdown("\n".join(f"- {_price_text(now, model)}" for model in models))


def _show_editor(now: Prices) -> None:
    """The table as it was when its editing began, since what is typed belongs to the rows of that one."""
    edited_table = EditedTable[Prices]("prices")
    begun = edited_table.begun(now)
    warning = st.empty()
    currency = st.text_input(t("models.currency"), begun.currency, 12, key=f"currency-{edited_table.key}", width=160)
    key, columns = edited_table.key, _columns()
    table = st.data_editor(
        price_frame(begun), num_rows="dynamic", hide_index=True, column_config=columns, key=key, placeholder=""
    )
    changed = currency != begun.currency or not table.reset_index(drop=True).equals(price_frame(begun))
    elsewhere = begun != now
    if elsewhere and not changed:
        edited_table.reset()
        st.rerun()
    if elsewhere:
        warning.warning(t("models.prices_elsewhere"), icon=":material/sync_problem:")
    if _save_pressed(edited_table, changed, elsewhere):
        _save(table, currency, edited_table)


def _save_pressed(edited_table: EditedTable[Prices], changed: bool, elsewhere: bool) -> bool:
    """Whether the table is to be saved: if another was saved meanwhile, only by a button that says so."""
    label, key = ("models.prices_replace", "replace-prices") if elsewhere else ("common.save", "save-prices")
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        pressed = st.button(t(label), type="primary", icon=":material/save:", key=key, disabled=not changed)
        if elsewhere:
            action_button(t("models.prices_reload"), "refresh", edited_table.reset, key="reload-prices")
        if changed:
            show_unsaved()
    return pressed


def _save(table: pd.DataFrame, currency: str, edited_table: EditedTable[Prices]) -> None:
    """Write the table; on an error nothing is written and the table stays as it is."""
    with show_errors():
        prices = prices_of(table, currency)
        save_prices(prices)
        edited_table.reset()
        st.toast(t("models.prices_saved", n=len(prices.models)), icon=":material/check:")
        st.rerun()


def _columns() -> dict[str, Any]:
    money = {
        name: st.column_config.NumberColumn(t(f"models.{name}"), min_value=0, format="%.4g", width=110)
        for name in MONEY
    }
    return {"pattern": st.column_config.TextColumn(t("models.pattern"), width="medium"), **money}


def _price_text(now: Prices, model: str) -> str:
    """What a model costs, or that its tokens are all that is counted."""
    price, name = now.price(model), plain(model, links=False)
    if price is None:
        return f":orange[:material/priority_high:] {t('models.unpriced', model=name)}"
    money = {"input": f"{price.input:g}", "output": f"{price.output:g}", "currency": plain(now.currency)}
    return t("models.priced", model=name, pattern=plain(price.pattern), **money)
