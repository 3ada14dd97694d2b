"""Plotly figures of the numbers in `core/analysis`."""
