"""The retrieval judge (RAGEval, 2024): recall, effective information rate and precision of the passages; no model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from core.base.prompt import Engine
from core.base.types import Language, Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.reasons import ReasonTexts, quote
from core.judges.version import version_of_sources
from core.text.language import join_sentences, script, sentences

NAME = "retrieval"
CRITERIA = ("recall", "eir", "precision")
REASONS = ReasonTexts(__file__)
MIN_SIMILARITY = 92.0  # similarity (0 to 100) from which a passage has a sentence
MIN_TOLERANT_LETTERS = 6  # letters from which a sentence may match with a tolerance; a shorter one must be unchanged
_MARKS = re.compile(r"[\W_]+")
_HAN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff々\uff66-\uff9f]|[^\W_\u3041-\u30ff\u3400-\u9fff々\uff66-\uff9f]+")
_FIGURES = re.compile(r"\d+")


class EvidenceMatch(NamedTuple):
    """A reference looked up in the passages."""

    passage_numbers: tuple[int, ...]  # from 1, of the passages that have one of its sentences
    matched: tuple[str, ...]  # its sentences that a passage has
    lost: tuple[str, ...]  # its sentences that no passage has

    @property
    def whole(self) -> bool:
        """Whether each of its sentences is in some passage."""
        return not self.lost and bool(self.matched)


@lru_cache(maxsize=4_096)
def letters(text: str) -> str:
    """A text for comparison: NFKC, lower case, letters and digits only (one space between words, if it has spaces)."""
    plain = unicodedata.normalize("NFKC", text).lower()
    return _MARKS.sub(" " if script(text) == "en" else "", plain).strip()


@lru_cache(maxsize=4_096)
def words(text: str) -> int:
    """How many words a text has; each character of Japanese and Chinese counts as one."""
    return len(_HAN.findall(unicodedata.normalize("NFKC", text)))


def pieces(reference: str) -> tuple[str, ...]:
    """The sentences of a reference that have letters or digits."""
    return tuple(part.strip() for part in sentences(reference) if letters(part))


def holds(passage: str, sentence: str) -> bool:
    """Whether a passage has a sentence, up to a few letters; all its figures must be there unchanged."""
    wanted, passage_letters = letters(sentence), letters(passage)
    if wanted in passage_letters:
        return True
    if len(wanted) < MIN_TOLERANT_LETTERS or len(passage_letters) < len(wanted) * MIN_SIMILARITY / 100:
        return False
    match = fuzz.partial_ratio_alignment(wanted, passage_letters, score_cutoff=MIN_SIMILARITY)
    if match is None:
        return False
    near = passage_letters[max(0, match.dest_start - 4) : match.dest_end + 4]
    return set(_FIGURES.findall(wanted)) <= set(_FIGURES.findall(near))


def look_up(reference: str, passages: Sequence[str]) -> EvidenceMatch:
    """Which passages hold which sentences of a reference."""
    where = {part: [n for n, text in enumerate(passages, 1) if holds(text, part)] for part in pieces(reference)}
    return EvidenceMatch(
        passage_numbers=tuple(sorted({number for found in where.values() for number in found})),
        matched=tuple(part for part, found in where.items() if found),
        lost=tuple(part for part, found in where.items() if not found),
    )


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Three shares from 0 to 1, computed.

    recall: references each of whose sentences is in some passage, of all references; eir: words of the reference
    sentences found (each once), of all words in the passages; precision: passages with a reference sentence, of all.
    A question without references is unscored, and so left out of means.
    """
    references = tuple(dict.fromkeys(text for text in sample.evidence if pieces(text)))
    if not references:
        return JUDGE.unscored(REASONS("unanswerable", options.language))
    passages = sample.passages
    found = tuple(look_up(text, passages) for text in references)
    language = options.language
    return _recall(found, language), _eir(found, passages, language), _precision(found, passages, language)


def _recall(found: Sequence[EvidenceMatch], language: Language) -> Score:
    whole = sum(one.whole for one in found)
    lost = [sentence for one in found for sentence in one.lost][:2]
    parts = [REASONS("recall", language, found=whole, count=len(found))]
    parts += [REASONS("lost", language, quote=quote(sentence)) for sentence in lost]
    return _score("recall", whole, len(found), join_sentences(parts, language))


def _eir(found: Sequence[EvidenceMatch], passages: Sequence[str], language: Language) -> Score:
    retrieved = sum(map(words, passages))
    matched = min(retrieved, sum(map(words, {part for one in found for part in one.matched})))
    return _score("eir", matched, retrieved, REASONS("eir", language, matched=matched, words=retrieved))


def _precision(found: Sequence[EvidenceMatch], passages: Sequence[str], language: Language) -> Score:
    useful = sorted({number for one in found for number in one.passage_numbers})
    placeholders = {"count": len(passages), "found": len(useful), "passage_numbers": ", ".join(map(str, useful))}
    reasons = REASONS("precision" if useful else "precision_none", language, **placeholders)
    return _score("precision", len(useful), len(passages), reasons)


def _score(criterion: str, part: int, whole: int, reasons: str) -> Score:
    value = part / whole if whole else 0.0
    return Score(judge=NAME, criterion=criterion, value=value, label=f"{part}/{whole}", reasons=reasons)


JUDGE = Judge(NAME, CRITERIA, ("contexts", "evidence"), version_of_sources("judges/retrieval", "text"), scores)
