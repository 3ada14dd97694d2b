"""Runs: many conversations side by side, resumed after a crash, on one machine or many."""
