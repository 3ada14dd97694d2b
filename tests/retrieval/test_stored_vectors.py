"""The stored vectors are those that the model makes of the included bot's passages today, and they are used."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from core.base.bot_folder import load_bot
from core.documents.example_questions import change_example_questions, read_example_questions
from core.retrieval.chroma import CollectionSpec
from core.retrieval.embedders import Matrix, SearchEmbedder, search_embedder
from core.retrieval.example_index import ExampleIndex, sort_examples
from core.retrieval.index_cache import Indexes
from core.retrieval.stored_vectors import stored_vectors
from core.text.synonyms import load_synonyms

pytestmark = pytest.mark.slow

MADE_ANEW = 5  # vectors that are compared with the model's


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the model has embedded."""
    found: list[str] = []
    encode = SearchEmbedder.encode

    def counted(self: SearchEmbedder, texts: Sequence[str]) -> Matrix:
        found.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(SearchEmbedder, "encode", counted)
    return found


def test_the_first_index_of_the_english_bot_embeds_nothing(tmp_path: Path, embedded: list[str]) -> None:
    """If this fails since its documents or questions were changed: python -m benchmarks.store_passage_vectors."""
    Indexes(tmp_path).get(load_bot("harbor"))
    assert embedded == []


def test_only_the_section_with_another_question_is_embedded(tmp_path: Path, embedded: list[str]) -> None:
    bot = load_bot("harbor")
    shutil.copytree(bot.folder, tmp_path / "harbor")
    copy = bot.model_copy(update={"folder": tmp_path / "harbor"})
    first = read_example_questions(copy)[0]
    change_example_questions(copy, [first], [first._replace(question="where do I flag a nasty page?")])
    Indexes(tmp_path / "indexes").get(copy)
    assert embedded and all("where do I flag a nasty page?" in text for text in embedded)


def test_stored_vectors_are_the_models(indexes: Indexes) -> None:
    bot = load_bot("harbor")
    passages, asked = list(indexes.get(bot).passages), read_example_questions(bot)
    questions = ExampleIndex(sort_examples(asked, passages), passages, "en", load_synonyms("en")).texts()
    records = CollectionSpec("harbor", "", search_embedder("en"), passages, questions).records()
    texts = {sha256(one.text.encode()).hexdigest(): one.text for one in records}
    stored = stored_vectors(search_embedder("en").name, texts)
    assert stored.keys() == texts.keys()
    some = list(texts)[:: len(texts) // MADE_ANEW]
    made = search_embedder("en").encode([texts[digest] for digest in some])
    assert np.allclose(made, [stored[digest] for digest in some], atol=1e-4)
    assert stored_vectors("another-model", texts) == {}
