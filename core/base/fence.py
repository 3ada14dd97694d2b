"""Fences a user's text in a prompt, so that nothing in it can pass for the prompt's own words."""

from __future__ import annotations

import hashlib

KEY_LENGTH = 8


def fence_text(text: str) -> str:
    """The text between `<<<KEY` and `KEY>>>`, each on its own line; KEY is the start of the text's SHA-256 in hex."""
    key = _key(text)
    return f"<<<{key}\n{text}\n{key}>>>"


def _key(text: str) -> str:
    """A key that does not occur in the text itself (hashed again in the rare case that it does)."""
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_LENGTH]
    while key in text:
        key = hashlib.sha256(key.encode()).hexdigest()[:KEY_LENGTH]
    return key
