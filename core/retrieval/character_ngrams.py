"""BM25 over short runs of letters: finds a word in another spelling, with a slip of the pen, or inside a longer one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.text.japanese import reading
from core.text.language import Script
from core.text.normalize import normalize

Scores = NDArray[np.float32]
K1, B = 1.5, 0.75
LENGTHS: dict[Script, int] = {"ja": 3, "en": 4, "zh": 2}
_RUN = re.compile(r"[^\W_]+")


class CharacterNgrams:
    """BM25 over runs of three katakana of the reading (Japanese), or of four letters of a word; shorter words whole.

    texts: each in one or more parts, such as heading and body.
    """

    def __init__(self, texts: Iterable[Sequence[str]], of: Script) -> None:
        import bm25s  # takes half a second, with SciPy

        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG when imported
        self._of: Script = of
        listed = [[run for part in parts for run in self._runs(part)] or [""] for parts in texts]
        self._count = len(listed)
        self._known = frozenset(run for runs in listed for run in runs)
        self._bm25: Any = bm25s.BM25(k1=K1, b=B, method="lucene")
        if listed:
            self._bm25.index(listed, show_progress=False)

    def scores(self, query: str) -> Scores:
        """BM25 of every text, shape (texts,)."""
        known = [run for run in self._runs(query) if run in self._known]
        if not known:
            return np.zeros(self._count, dtype=np.float32)
        return np.asarray(self._bm25.get_scores(known), dtype=np.float32)

    def _runs(self, text: str) -> list[str]:
        spelt = reading(text) if self._of == "ja" else normalize(text)
        size = LENGTHS[self._of]
        return [word[i : i + size] for word in _RUN.findall(spelt) for i in range(max(1, len(word) - size + 1))]
