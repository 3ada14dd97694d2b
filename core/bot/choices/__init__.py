"""What a user can pick: how a section is named as a choice, the choices of a clarifying question, and those below a reply."""
