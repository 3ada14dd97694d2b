"""How far judges agree with people, and people with each other; which answers to label next; no model, no database."""
