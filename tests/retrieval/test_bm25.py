"""BM25 ranks texts by the units of a query, and is stored for many texts."""

from pathlib import Path

import numpy as np

from core.retrieval.lexical import MIN_STORED_TEXTS, Bm25

TEXTS = [["note", f"n{number}", f"d{number % 9}"] for number in range(MIN_STORED_TEXTS)]


def test_a_rare_unit_ranks_its_text_first():
    assert int(np.argmax(Bm25(TEXTS).scores(["note", "n7", "unknown"]))) == 7


def test_units_that_no_text_has_score_zero():
    for texts in ([], [["note"]], TEXTS):
        scores = Bm25(texts).scores(["unknown"])
        assert scores.shape == (len(texts),)
        assert not scores.any()


def test_what_is_stored_gives_the_same_scores(home: Path):
    computed, stored = Bm25(TEXTS), Bm25(TEXTS)
    assert len(list((home / "data" / "prepared").iterdir())) == 1
    for query in (["n7"], ["d3", "note"], ["unknown"]):
        np.testing.assert_array_equal(computed.scores(query), stored.scores(query))


def test_other_texts_are_not_taken_for_the_stored_ones(home: Path):
    Bm25(TEXTS)
    assert int(np.argmax(Bm25(TEXTS[::-1]).scores(["n0"]))) == MIN_STORED_TEXTS - 1
