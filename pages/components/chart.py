"""A chart in a frame, under its finding; one on which a point can be clicked."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.charts.style import Chart
from pages.components.plain_text import plain


def draw_chart(place: Any, chart: Chart, label: str, name: str, **options: Any) -> Any:
    """Draw a chart under its label and finding. Returns the selection. `name`: for the widget key."""
    with place.container(border=True, height="stretch"):
        st.caption(label)
        st.markdown(f"**{plain(chart.finding, links=False)}**")
        config = {"displayModeBar": False}
        return st.plotly_chart(chart.figure, config=config, alt=chart.finding, key=f"chart-{name}", **options)


def choose_point(place: Any, chart: Chart, label: str, name: str) -> tuple[Any, ...]:
    """Draw a chart like `draw_chart`. Returns the data (`customdata`) of the point that is clicked, or ()."""
    event = draw_chart(place, chart, label, name, on_select="rerun", selection_mode="points")
    clicked = (point["customdata"] for point in event["selection"]["points"] if point.get("customdata"))
    return tuple(next(clicked, ()))
