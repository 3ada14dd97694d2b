"""A bot's own judges: criteria written without code, and Python functions."""
