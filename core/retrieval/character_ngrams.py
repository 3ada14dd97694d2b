"""BM25 over short runs of letters: finds a word in another spelling, with a slip of the pen, or inside a longer one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.retrieval.bm25 import Bm25
from core.retrieval.passage_scores import Scores
from core.text.japanese import reading
from core.text.language import Script
from core.text.normalize import normalize
from core.text.stored_readings import readings

# Letters of a run.
RUN_LETTERS: dict[Script, int] = {"ja": 3, "en": 4, "zh": 2}
_RUN = re.compile(r"[^\W_]+")


class CharacterNgrams:
    """BM25 over runs of three katakana of the reading (Japanese), or of four letters of a word; shorter words whole.

    texts: each in one or more parts, such as heading and body.
    """

    def __init__(self, texts: Iterable[Sequence[str]], language: Script) -> None:
        self._language: Script = language
        listed = [list(parts) for parts in texts]
        spelt = iter(readings([part for parts in listed for part in parts], _spelling, language))
        self._bm25 = Bm25([[run for _ in parts for run in self._runs(next(spelt))] or [""] for parts in listed])

    def scores(self, query: str) -> Scores:
        """BM25 of every text, shape (texts,)."""
        return self._bm25.scores(self._runs(_spelling(query, self._language)))

    def _runs(self, spelt: str) -> list[str]:
        size = RUN_LETTERS[self._language]
        return [word[i : i + size] for word in _RUN.findall(spelt) for i in range(max(1, len(word) - size + 1))]


def _spelling(text: str, language: Script) -> str:
    return reading(text) if language == "ja" else normalize(text)
