"""Judges of an answer against its passages and its question: groundedness, sufficiency, relevance."""
