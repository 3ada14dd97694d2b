"""A chart on the page of asking back: a quiet frame, what it shows, its finding, then the chart."""

from __future__ import annotations

from html import unescape
from typing import Any

import streamlit as st
from plotly.graph_objects import Figure

from pages.shared.draw import plain
from pages.shared.words import say


def plot(where: Any, figure: Figure, name: str, **looks: Any) -> Any:
    """Draw a chart under its finding (its own title does not wrap); `name`: the words for what it shows, and the key."""
    finding = unescape(figure.layout.title.text)
    figure.update_layout(title_text="", margin_t=figure.layout.margin.t - 36, height=figure.layout.height - 36)
    with where.container(border=True, height="stretch"):
        st.caption(say(name))
        st.markdown(f"**{plain(finding, links=False)}**")
        return st.plotly_chart(figure, config={"displayModeBar": False}, alt=finding, key=f"chart-{name}", **looks)
