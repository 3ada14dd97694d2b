"""A Streamlit app of one title and one Plotly chart: the least that a page with a chart can take."""

import plotly.graph_objects as go
import streamlit as st

st.title("Bare")
st.plotly_chart(go.Figure(go.Bar(x=[1, 2, 3], y=[1, 2, 3])))
