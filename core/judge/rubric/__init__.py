"""Baselines that give an answer one to five points against a reference, by rubric."""
