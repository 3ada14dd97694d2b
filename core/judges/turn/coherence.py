"""Flaws of coherence: repetition, broken text, self-contradiction, another language than the question's, length.

They lower the coherence score of the turn judge. Without broken text, repetition or self-contradiction, the correlation
on MTRAG falls by .007 to .014 each; another language changes nothing there.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import Literal

from rapidfuzz import fuzz

from core.text.language import share_no_script
from core.text.negation import opposite_clauses
from core.text.numbers import amounts

Flaw = Literal["repeats", "broken", "contradicts", "language", "long", "addressed"]
COST: dict[Flaw, int] = {
    "repeats": 2,
    "broken": 3,
    "contradicts": 2,
    "language": 3,
    "long": 1,
    "addressed": 2,
}
_BROKEN = re.compile(r"\ufffd|(?:[ÃÂãæåç][\x80-\xbf¡-¿]){3,}|(.)\1{14,}|(?:undefined|null|NaN)(?:\s|$)|\{\{|<\|")
MAX_LENGTH = 2_500  # characters of an answer from which it is too long to read
QUESTION_MIN_LETTERS = 3  # letters of a question from which its language is known
MIN_REPEAT_SIMILARITY = 94.0  # similarity (0 to 100) of two sentences that say the same


def flaws(answer: str, parts: tuple[str, ...], question: str) -> tuple[tuple[Flaw, str], ...]:
    """(flaw, the words that show it) for each flaw; `parts` are the sentences of the answer."""
    all_flaws: list[tuple[Flaw, str]] = []
    if _BROKEN.search(answer):
        all_flaws.append(("broken", answer.strip()))
    shown = parts[:30]
    repeated = next((one for one, other in combinations(shown, 2) if _same(one, other)), "")
    if repeated:
        all_flaws.append(("repeats", repeated))
    contradicting = next((one for one, other in combinations(shown, 2) if _against(one, other)), "")
    if contradicting:
        all_flaws.append(("contradicts", contradicting))
    if share_no_script(" ".join(parts), question, other_min_letters=QUESTION_MIN_LETTERS):
        all_flaws.append(("language", parts[0]))
    if len(answer) > MAX_LENGTH:
        all_flaws.append(("long", ""))
    return tuple(all_flaws)


def _same(one: str, other: str) -> bool:
    return (
        min(len(one), len(other)) > 8
        and amounts(one) == amounts(other)
        and fuzz.ratio(one, other) >= MIN_REPEAT_SIMILARITY
        and not opposite_clauses(one, other)
    )


def _against(one: str, other: str) -> bool:
    return fuzz.ratio(one, other) >= 70 and opposite_clauses(one, other) is not None
