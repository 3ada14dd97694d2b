"""Judges: each takes a sample and returns scores. `registry.py` lists them all."""
