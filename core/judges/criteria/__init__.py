"""Judges of one criterion each: fourteen that ship with Kiku, and those that the owner writes."""
