"""Runs: many conversations at once, resumed after a crash, on one machine or many."""
