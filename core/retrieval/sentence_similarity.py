"""Similarity in meaning between a question and sentences of a passage."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from core.retrieval.embedders import bundled_embedder
from core.retrieval.word_vectors import Vector, word_vectors
from core.text.japanese import words as japanese_words
from core.text.language import script

_MEANINGFUL = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞"})  # Sudachi's parts of speech


def sentence_similarities(question: str, texts: Sequence[str]) -> list[float]:
    """The similarity of each text to a question in meaning (0 to 1), by the language of the texts.

    In English the cosine of their sentence vectors. In Japanese the mean over the question's words of the cosine to the
    nearest word of the text (the relaxed word mover's distance of Kusner et al. 2015, ICML, by cosines). 0 if either
    has no word with a vector.
    """
    if not texts:
        return []
    if script(" ".join(texts)) == "en":
        asked, *vectors = bundled_embedder().encode([question, *texts])
        return [max(0.0, float(vector @ asked)) for vector in vectors]
    words = _word_vectors(question)
    return [_nearness(words, _word_vectors(text)) for text in texts]


def _nearness(asked: Vector, said: Vector) -> float:
    if not len(asked) or not len(said):
        return 0.0
    return float(np.einsum("ik,jk->ij", asked, said).max(axis=1).mean())  # not BLAS: its threads wait for each other


@lru_cache(maxsize=1_024)
def _word_vectors(text: str) -> Vector:
    """The vectors of the content words, shape (words, 300)."""
    known = word_vectors()
    if known is None:
        return np.zeros((0, 0), dtype=np.float32)
    words = (word for word in japanese_words(text, loanwords=True) if word.part in _MEANINGFUL)
    rows = (known.row_of(word.surface, word.base) for word in words)
    return known.unit_rows([row for row in rows if row is not None])
