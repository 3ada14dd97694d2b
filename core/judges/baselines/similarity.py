"""How near an answer is to the nearest reference: two distances, and two baselines to compare judges against.

None asks a model. `similarity` is computed with every engine: the cosine of sentence vectors if an embedder knows the
language (the bundled one knows English), else the overlap of words, which compares wording and not meaning; the
reasons say which. It does not detect errors: an answer with one figure changed is still similar. `keyword_overlap` is
the overlap of words in every language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rapidfuzz.distance import JaroWinkler, Levenshtein

from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.reasons import ReasonTexts
from core.judges.version import counted_text, version_of
from core.retrieval.embedders import embedder_for
from core.text.language import script, terms
from core.text.normalize import normalize

REASONS = ReasonTexts(__file__)
EMBEDDING, STRING, SIMILARITY, OVERLAP = "embedding_distance", "string_distance", "similarity", "keyword_overlap"
LONGEST_COMPARED = 20_000  # characters that are compared
MAX_EMBEDDED = 2_000  # characters that are embedded; the bundled model reads 256 tokens anyway
_DISTANCES: dict[str, Callable[[str, str], float]] = {
    "levenshtein": Levenshtein.normalized_distance,
    "jaro_winkler": JaroWinkler.normalized_distance,
}


def embedding_scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """The cosine distance (0 to 1, negative cosines count as 1) of answer and nearest reference; value and label are
    the distance.

    Unscored if one of the texts is Japanese or Chinese and no embedding model is configured that knows it.
    """
    texts = (sample.answer, *sample.references)
    if any(not embedder_for(script(text)).semantic for text in texts):
        return JUDGES[0].unscored(REASONS("no_embedder", options.language))
    embedder = embedder_for(script(sample.answer))
    reasons = REASONS("embedding", options.language, model=embedder.name)
    return (_score(EMBEDDING, EMBEDDING, 1.0 - nearest_cosine(texts), reasons),)


def nearest_cosine(texts: Sequence[str]) -> float:
    """Cosine (0 to 1) of the first text and the nearest of the others; 0 if it is negative."""
    rows = embedder_for(script(texts[0])).encode([text[:MAX_EMBEDDED] for text in texts])
    return float(np.clip((rows[1:] @ rows[0]).max(), 0.0, 1.0))


def string_scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Normalised Levenshtein and Jaro-Winkler distance (0 to 1) to the nearest reference, ignoring case and width."""
    answer = normalize(sample.answer)[:LONGEST_COMPARED]
    references = [normalize(text)[:LONGEST_COMPARED] for text in sample.references]
    return tuple(
        _score(STRING, name, min(measure(answer, text) for text in references), REASONS(name, options.language))
        for name, measure in _DISTANCES.items()
    )


def similarity_scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Similarity (0 to 1) of the answer and the nearest reference."""
    texts = (sample.answer, *sample.references)
    embedders = {embedder_for(script(text)).name: embedder_for(script(text)) for text in texts}
    if all(one.semantic for one in embedders.values()):
        value, reasons = nearest_cosine(texts), REASONS("vectors", options.language, model=next(iter(embedders)))
    else:
        value, reasons = max(overlap(sample.answer, text) for text in texts[1:]), REASONS("terms", options.language)
    return (_score(SIMILARITY, SIMILARITY, value, reasons),)


def overlap_scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """F measure (0 to 1) of the words of the answer and of the nearest reference (token F1; Rajpurkar et al. 2016)."""
    value = max(overlap(sample.answer, text) for text in sample.references)
    return (_score(OVERLAP, OVERLAP, value, REASONS("terms", options.language)),)


def overlap(answer: str, reference: str) -> float:
    """F measure (0 to 1) of the words that two texts share, counted as often as both have them."""
    of = script(reference)
    answer_terms, reference_terms = (Counter(terms(text[:LONGEST_COMPARED], of)) for text in (answer, reference))
    total = answer_terms.total() + reference_terms.total()
    return 2 * (answer_terms & reference_terms).total() / total if total else 0.0


def _score(judge: str, criterion: str, value: float, reasons: str) -> Score:
    return Score(judge=judge, criterion=criterion, value=value, label=f"{value:.3f}", reasons=reasons)


_NEEDS = ("answer", "reference")
_RULES = version_of(*(counted_text(Path(__file__).with_name(name)) for name in ("similarity.py", "reasons.toml")))
_RULES_AND_MODEL = version_of(_RULES, settings().embedding_model)
JUDGES = (
    Judge(EMBEDDING, (EMBEDDING,), _NEEDS, _RULES_AND_MODEL, embedding_scores, lower_is_better=frozenset({EMBEDDING})),
    Judge(STRING, tuple(_DISTANCES), _NEEDS, _RULES, string_scores, lower_is_better=frozenset(_DISTANCES)),
    Judge(SIMILARITY, (SIMILARITY,), _NEEDS, _RULES_AND_MODEL, similarity_scores),
    Judge(OVERLAP, (OVERLAP,), _NEEDS, _RULES, overlap_scores),
)
