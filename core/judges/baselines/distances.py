"""`embedding_distance` and `string_distance`: how far an answer is from the nearest reference. No model call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rapidfuzz.distance import JaroWinkler, Levenshtein

from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.reasons import ReasonTexts
from core.judges.version import version_of
from core.retrieval.embedders import embedder_for
from core.text.language import script
from core.text.normalize import normalize

REASONS = ReasonTexts(__file__)
EMBEDDING, STRING = "embedding_distance", "string_distance"
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


def rules(*files: str) -> str:
    """The version of judges whose rules are these files beside this one."""
    return version_of(*(Path(__file__).with_name(name).read_text("utf-8") for name in files))


def _score(judge: str, criterion: str, distance: float, reasons: str) -> Score:
    return Score(judge=judge, criterion=criterion, value=distance, label=f"{distance:.3f}", reasons=reasons)


_NEEDS = ("answer", "reference")
JUDGES = (
    Judge(
        EMBEDDING,
        (EMBEDDING,),
        _NEEDS,
        version_of(rules("distances.py", "reasons.toml"), settings().embedding_model),
        embedding_scores,
        lower_is_better=frozenset({EMBEDDING}),
    ),
    Judge(
        STRING,
        tuple(_DISTANCES),
        _NEEDS,
        rules("distances.py", "reasons.toml"),
        string_scores,
        lower_is_better=frozenset(_DISTANCES),
    ),
)
