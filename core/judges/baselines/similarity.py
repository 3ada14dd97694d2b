"""The baselines `similarity` and `keyword_overlap`, without model calls.

`similarity` is computed with every engine: the cosine of sentence vectors if an embedder knows the language (the
bundled one knows English), else the overlap of words, which compares wording and not meaning; the reasons say
which. It does not detect errors: an answer with one figure changed is still similar.
`keyword_overlap` is the overlap of words in every language.
"""

from __future__ import annotations

from collections import Counter

from core.base.prompt import Engine
from core.base.settings import settings
from core.base.types import Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.baselines.distances import LONGEST_COMPARED, REASONS, nearest_cosine, rules
from core.judges.version import version_of
from core.retrieval.embedders import embedder_for
from core.text.language import script, terms

NAME, OVERLAP = "similarity", "keyword_overlap"


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Similarity (0 to 1) of the answer and the nearest reference."""
    texts = (sample.answer, *sample.references)
    embedders = {embedder_for(script(text)).name: embedder_for(script(text)) for text in texts}
    if all(one.semantic for one in embedders.values()):
        value, reasons = nearest_cosine(texts), REASONS("vectors", options.language, model=next(iter(embedders)))
    else:
        value, reasons = max(overlap(sample.answer, text) for text in texts[1:]), REASONS("terms", options.language)
    return (Score(judge=NAME, criterion=NAME, value=value, label=f"{value:.3f}", reasons=reasons),)


def overlap_scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """F measure (0 to 1) of the words of the answer and of the nearest reference (token F1; Rajpurkar et al. 2016)."""
    value = max(overlap(sample.answer, text) for text in sample.references)
    reasons = REASONS("terms", options.language)
    return (Score(judge=OVERLAP, criterion=OVERLAP, value=value, label=f"{value:.3f}", reasons=reasons),)


def overlap(answer: str, reference: str) -> float:
    """F measure (0 to 1) of the words that two texts share, counted as often as both have them."""
    of = script(reference)
    answer_terms, reference_terms = (
        Counter(terms(answer[:LONGEST_COMPARED], of)),
        Counter(terms(reference[:LONGEST_COMPARED], of)),
    )
    total = answer_terms.total() + reference_terms.total()
    return 2 * (answer_terms & reference_terms).total() / total if total else 0.0


JUDGES = (
    Judge(
        NAME,
        (NAME,),
        ("answer", "reference"),
        version_of(rules("similarity.py", "distances.py", "reasons.toml"), settings().embedding_model),
        scores,
    ),
    Judge(
        OVERLAP,
        (OVERLAP,),
        ("answer", "reference"),
        version_of(rules("similarity.py", "reasons.toml")),
        overlap_scores,
    ),
)
