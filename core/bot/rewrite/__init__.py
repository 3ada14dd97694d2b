"""One standalone question from a conversation."""
