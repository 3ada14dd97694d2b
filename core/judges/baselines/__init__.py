"""Baselines to compare judges against: distances, similarity, and points by rubric."""
