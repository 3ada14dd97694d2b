"""How the messages of a conversation are read: their spelling, asides, changes of the subject, follow-ups, and which
section answers a message after others."""
