"""The adapter of the bundled English model: search takes it, nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.settings import settings
from core.retrieval.embedders import HashedTerms, SearchEmbedder, SentenceEmbedder, search_embedder, sentence_embedder
from core.retrieval.search_adapter import adapter_digest

TEXTS = ["how do I get my money back", "Refunds: we refund within five working days"]


def test_the_adapter_changes_vectors_for_search_and_no_others():
    base = SentenceEmbedder("")
    before = base.encode(TEXTS)
    adapted = SearchEmbedder(base).encode(TEXTS)
    assert adapted.shape == before.shape and np.allclose(np.linalg.norm(adapted, axis=1), 1, atol=1e-4)
    assert not np.allclose(adapted, before, atol=1e-2)
    assert np.allclose(base.encode(TEXTS), before, atol=1e-5)


def test_everyday_words_are_nearer_to_the_section_that_answers_them():
    sections = ["Refunds: money is returned within five working days", "Opening hours: Monday to Friday 9 to 17"]
    question, *vectors = search_embedder("en").encode(["can i have my cash back plz", *sections])
    assert question @ vectors[0] > question @ vectors[1]


def test_its_name_tells_vectors_of_one_adapter_from_those_of_another():
    assert adapter_digest() in search_embedder("en").name and search_embedder("en").name != sentence_embedder().name


def test_another_model_has_no_adapter(fresh_settings: pytest.MonkeyPatch):
    fresh_settings.setenv("KIKU_EMBEDDING_MODEL", "foo/bar")
    settings.cache_clear()
    sentence_embedder.cache_clear()
    try:
        assert search_embedder("en") is sentence_embedder() and search_embedder("en").name == "foo/bar"
    finally:
        sentence_embedder.cache_clear()


def test_japanese_is_searched_without_sentence_vectors():
    assert isinstance(search_embedder("ja"), HashedTerms)
