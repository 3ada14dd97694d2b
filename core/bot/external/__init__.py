"""Bots that somebody else runs: asking them and reading their replies."""
