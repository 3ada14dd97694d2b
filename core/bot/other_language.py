"""Makes messages in another language than the documents' searchable, with a glossary of help-desk terms."""

from __future__ import annotations

import re

from core.retrieval.index import Index
from core.text.bilingual import translate_terms
from core.text.language import language_of

# Words of a message that may be names or headings, which are kept as they are.
MAX_NAME_WORDS = 3
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b(?!I\b)[A-Z][\w-]*\b|\b[A-Z]{2,}\b")
_LATIN = re.compile(r"[A-Za-z][\w-]+")


def searchable(text: str, index: Index) -> str:
    """A message in words of the documents' language; unchanged if it is in that language, or has no known term."""
    if index.language == "zh" or language_of(text, index.language) == index.language:
        return text
    words = translate_terms(index.language, text)
    if not words:
        return text
    if index.language == "ja" and len(text.split()) <= MAX_NAME_WORDS:
        return f"{words} {text}"
    names = (_NAME if index.language == "ja" else _LATIN).findall(text)
    return " ".join([words, *names])
