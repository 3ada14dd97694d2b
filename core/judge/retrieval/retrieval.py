"""The retrieval judge (RAGEval, 2024): recall, effective information rate and precision of the passages; no model."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.base.prompt import Engine
from core.base.types import Language, Sample, Score
from core.judge.judge import How, Judge
from core.judge.retrieval.matching import Found, look_up, pieces, words
from core.judge.turn.reasons import quote
from core.judge.version import version_of_folders

NAME = "retrieval"
CRITERIA = ("recall", "eir", "precision")
FILE = Path(__file__).with_name("say.toml")


def scores(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """Three shares from 0 to 1, computed.

    recall: references each of whose sentences is in some passage, of all references; eir: words of the reference
    sentences found (each once), of all words in the passages; precision: passages with a reference sentence, of all.
    A question without references is unscored, and so left out of means.
    """
    references = tuple(dict.fromkeys(text for text in sample.evidence if pieces(text)))
    if not references:
        return unanswerable(how.language)
    passages = tuple(text for text in sample.contexts if text.strip())
    found = tuple(look_up(text, passages) for text in references)
    return _recall(found, how.language), _eir(found, passages, how.language), _precision(found, passages, how.language)


def unanswerable(language: Language) -> tuple[Score, ...]:
    """The rows of a question that has no references."""
    error = _say("unanswerable", language)
    return tuple(Score(judge=NAME, criterion=name, value=None, error=error) for name in CRITERIA)


def _recall(found: Sequence[Found], language: Language) -> Score:
    whole = sum(one.whole for one in found)
    lost = [sentence for one in found for sentence in one.lost][:2]
    parts = [_say("recall", language, found=whole, count=len(found))]
    parts += [_say("lost", language, quote=quote(sentence)) for sentence in lost]
    return _score("recall", whole, len(found), ("" if language == "ja" else " ").join(parts))


def _eir(found: Sequence[Found], passages: Sequence[str], language: Language) -> Score:
    matched = sum(words(sentence) for sentence in dict.fromkeys(part for one in found for part in one.matched))
    retrieved = sum(words(text) for text in passages)
    matched = min(matched, retrieved)
    return _score("eir", matched, retrieved, _say("eir", language, matched=matched, words=retrieved))


def _precision(found: Sequence[Found], passages: Sequence[str], language: Language) -> Score:
    useful = sorted({place for one in found for place in one.places})
    holes = {"count": len(passages), "found": len(useful), "places": ", ".join(map(str, useful))}
    return _score(
        "precision", len(useful), len(passages), _say("precision" if useful else "precision_none", language, **holes)
    )


def _score(criterion: str, part: int, whole: int, reasons: str) -> Score:
    value = part / whole if whole else 0.0
    return Score(judge=NAME, criterion=criterion, value=value, label=f"{part}/{whole}", reasons=reasons)


def _say(key: str, language: Language, **holes: object) -> str:
    return _words()[key][language].format(**holes)


@cache
def _words() -> dict[str, dict[Language, str]]:
    return tomllib.loads(FILE.read_text("utf-8"))


JUDGE = Judge(NAME, CRITERIA, ("contexts", "evidence"), version_of_folders("retrieval"), scores, scale="share")
