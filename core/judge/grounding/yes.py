"""A bare yes or no: what it claims is what was asked."""

from __future__ import annotations

from collections.abc import Sequence

from core.judge.text.refusal import is_refusal, spoken
from core.judge.text.wording import asks_whether, lead, side
from core.judge.turn.evidence import Finding, Source, Unit, Weights, look_up

HELD = 0.45  # share of the question that a passage must hold to bear out a yes or a no
BARE = 40  # characters up to which an answer may be no more than a yes or a no


def sign(answer: str, question: str) -> int:
    """1 or -1 where a short answer says yes or no to a question for that, else 0."""
    parts = spoken(answer[: BARE + 1])
    if len(answer.strip()) > BARE or not parts or is_refusal(answer) or not asks_whether(question):
        return 0
    return lead(parts[0]) or side(parts[0])


def answered(
    answer: str, question: str, asked: Unit, sources: Sequence[Source], weights: Weights
) -> tuple[Finding, tuple[str, str] | None] | None:
    """(the question looked up in the passages, what disagrees there); none where the answer is no yes or no."""
    said = sign(answer, question)
    if not said or not asked.words:
        return None
    found = look_up(asked, sources, weights)
    claim = asked._replace(text=f"{answer.strip()} ({question.strip()})")
    if found.unit is None or found.share < HELD:
        return found._replace(claim=claim, state="missing"), None
    held = side(found.unit.text)
    clash = (answer.strip(), found.unit.text) if held and held != said else None
    state = "contradicted" if clash else "supported"
    return found._replace(claim=claim, state=state), clash
