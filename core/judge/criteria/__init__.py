"""Judges of one criterion each: fourteen that ship with Kiku, and the owner's own wording."""
