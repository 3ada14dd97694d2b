"""BM25 over lists of words or other units."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from core.retrieval.passage_scores import Scores

K1, B = 1.5, 0.75


class Bm25:
    """BM25 (Robertson; bm25s, Lucene's variant) of texts given as their units."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        import bm25s  # takes half a second, with SciPy

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported
        self._size = len(texts)
        self._known = frozenset(unit for units in texts for unit in units)
        self._bm25: Any = bm25s.BM25(k1=K1, b=B, method="lucene")
        if texts:
            self._bm25.index(texts, show_progress=False)

    def scores(self, units: Sequence[str]) -> Scores:
        """BM25 of every text, shape (texts,); zeros if no unit is known."""
        known = [unit for unit in units if unit in self._known]
        return cast(Scores, self._bm25.get_scores(known)) if known else np.zeros(self._size, dtype=np.float32)
