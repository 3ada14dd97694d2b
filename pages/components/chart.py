"""A chart in a frame, under its finding."""

from __future__ import annotations

from html import unescape
from typing import Any, NamedTuple

import streamlit as st
from plotly.graph_objects import Figure

from pages.components.plain_text import plain


class Chart(NamedTuple):
    """A figure without its title, and the finding that the title stated."""

    finding: str
    figure: Figure


def without_title(figure: Figure) -> Chart:
    """The figure and its finding apart, since the title of a Plotly figure does not wrap."""
    layout: Any = figure.layout  # Plotly declares no type for it
    finding = unescape(layout.title.text)
    figure.update_layout(title_text="", margin_t=layout.margin.t - 36, height=layout.height - 36)
    return Chart(finding, figure)


def draw_chart(place: Any, chart: Chart, label: str, name: str, **options: Any) -> Any:
    """Draw a chart with what it shows (`label`) and its finding above; gives the selection. `name`: for the widget key."""
    with place.container(border=True, height="stretch"):
        st.caption(label)
        st.markdown(f"**{plain(chart.finding, links=False)}**")
        config = {"displayModeBar": False}
        return st.plotly_chart(chart.figure, config=config, alt=chart.finding, key=f"chart-{name}", **options)
