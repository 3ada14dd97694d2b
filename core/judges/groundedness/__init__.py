"""Judges of an answer and its passages: groundedness, sufficiency."""
