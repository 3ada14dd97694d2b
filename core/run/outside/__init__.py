"""Bots that exist already: asking them, and reading what they say."""
