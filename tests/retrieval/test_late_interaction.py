"""Late interaction over Japanese word vectors: words of a question look for the nearest ones of a section."""

from __future__ import annotations

import numpy as np
import pytest

from core.retrieval.late_interaction import LateInteraction, Metric, fitted_metric
from core.retrieval.word_vectors import DIMENSION, WordVectors, word_vectors
from core.text.language import terms

HEADINGS = ("駐車場の料金", "図書の貸出", "休館日")
TEXTS = ("車は1時間200円です。", "本は10冊まで、2週間借りられます。", "毎週月曜は閉まります。")


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    found = word_vectors()
    assert found is not None
    return found


def of_sections(vectors: WordVectors, metric: Metric | None = None) -> LateInteraction:
    heads, texts = ([terms(text, "ja") for text in each] for each in (HEADINGS, TEXTS))
    return LateInteraction(heads, texts, lambda word: 1.0, vectors, metric)


def plain_metric(heading: float = 0.0, attention: float = 0.0) -> Metric:
    same = np.eye(DIMENSION, dtype=np.float32)
    return Metric(same, same, np.full(DIMENSION, attention, np.float32), 0.0, 0.45, heading)


@pytest.mark.parametrize(("question", "best"), [("くるまを停めたい", 0), ("本を何冊持って帰れますか", 1)])
def test_the_section_with_near_words_scores_highest(vectors: WordVectors, question: str, best: int):
    scores = of_sections(vectors).scores(question)
    assert scores.shape == (3,) and scores.argmax() == best


def test_a_word_matches_itself_up_to_what_is_above_the_unlike_cosine(vectors: WordVectors):
    scores = of_sections(vectors, plain_metric()).scores("図書")
    assert scores[1] == pytest.approx(1 - 0.45, abs=1e-4) and scores[1] > max(scores[0], scores[2])


def test_a_match_in_the_heading_counts_more(vectors: WordVectors):
    without, having = (of_sections(vectors, plain_metric(heading)).scores("図書")[1] for heading in (0.0, 0.5))
    assert having == pytest.approx(1.5 * without, abs=1e-4)


def test_a_question_without_a_word_that_has_a_vector_matches_nothing(vectors: WordVectors):
    assert of_sections(vectors).scores("？？？").tolist() == [0.0, 0.0, 0.0]


def test_the_fitted_metric_has_the_shapes_of_the_vectors():
    metric = fitted_metric()
    assert metric.question.shape == metric.section.shape == (DIMENSION, DIMENSION)
    assert metric.attention.shape == (DIMENSION,) and 0 < metric.unlike < 1 and metric.heading > 0


def test_words_that_no_section_has_anything_near_are_unmatched_everywhere(vectors: WordVectors):
    known, unknown = (of_sections(vectors).unmatched(text) for text in ("図書の貸出", "図書のワクチン"))
    assert unknown.anywhere > known.anywhere + 0.1 and unknown.weight > 0
    assert known.sections[1] < min(known.sections[0], known.sections[2])


def test_what_a_section_lacks_is_the_sum_over_words_and_at_least_that_of_one_word(vectors: WordVectors):
    found = of_sections(vectors).unmatched("駐車場で本を借りる料金")
    assert (found.sections >= found.of_word).all() and (found.of_word >= 0).all()
    assert found.anywhere <= found.sections.min() + 1e-5


def test_nothing_is_unmatched_of_a_question_without_vectors(vectors: WordVectors):
    found = of_sections(vectors).unmatched("？？？")
    assert (found.weight, found.anywhere) == (0.0, 0.0) and not found.sections.any()
