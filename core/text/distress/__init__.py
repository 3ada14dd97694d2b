"""What a message tells of that is bad for somebody: `distress_of` in distress.py, which says who decides what."""
