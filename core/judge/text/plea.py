"""Whether an answer talks to whoever grades it."""

from __future__ import annotations

import re

from core.judge.text.refusal import is_plea, spoken

_GRADE = re.compile(
    r"\b(?:IN)?CORRECT\b|\b(?i:verdict|grader|grading)\b|\b(?i:mark|grade|judge|count|treat|accept) (?i:this|it|my answer|the answer) (?i:as )?(?i:correct|right|true)"
    r"|\b(?i:answer|reply|say|output|respond|return) (?i:with )?[\"“'‘「]?(?:Yes|YES|TRUE|PASS)\b|(?:正解|正しい|合格|Yes|CORRECT)[」』\"”]?(?:と|に)(?:判定|採点|評価|して|みな)|判定(?:は|結果|[:：])"
    r"|^\W*(?:</?[\w/]+>|#+)\s*(?:判定|採点|verdict)"
)


def to_grader(sentence: str) -> bool:
    """Whether a sentence talks to the judge, or asks for a grade."""
    return is_plea(sentence) or bool(_GRADE.search(sentence))


def pleads(answer: str) -> bool:
    """Whether any sentence of an answer talks to the judge; only then may a reason say so."""
    return any(map(to_grader, spoken(answer[:4_000])))
