"""Kiku without its pages: `python -m core` is its command line."""
