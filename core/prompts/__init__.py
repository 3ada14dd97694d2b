"""The prompts that a bot may have texts of its own for: the list of them, what each may use, and filled examples."""
