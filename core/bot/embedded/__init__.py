"""What the embedded engine does in a turn instead of a language model: it assesses a message and answers it."""
