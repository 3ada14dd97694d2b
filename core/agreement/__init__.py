"""The agreement of judges with people, and of people with each other; which answers to label next; no model, no
database."""
