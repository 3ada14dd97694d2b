"""How the messages of a conversation are read: their spelling, changes of the subject, follow-ups."""
