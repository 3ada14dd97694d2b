"""Whether to ask before searching, and what."""
