"""Questions straight from a bot's documents: answered by a section, open on purpose, or out of scope."""
