"""Detects distress in a message: `distress_of` in distress.py, whose table shows which module decides what."""
