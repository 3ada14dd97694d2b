"""How a judge came to its scores, in words: its steps, the claims that it checked, its conclusion."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.translate import Translate, text_or_default
from core.base.types import CheckedClaim, Reasoning


def reasoning_lines(reasoning: Reasoning, t: Translate) -> Iterator[str]:
    """A line for each step and claim, and one for the conclusion; every text in it may be anything."""
    yield from (" ".join(step.split()) for step in reasoning.steps if step.strip())
    yield from (_claim_line(claim, t) for claim in reasoning.claims)
    if reasoning.conclusion.strip():
        yield t("reasoning.conclusion", text=" ".join(reasoning.conclusion.split()))


def reasoning_text(stored: str, t: Translate) -> str:
    """The lines of a reasoning that is stored as JSON, one below the other; "" for none."""
    return "\n".join(reasoning_lines(Reasoning.model_validate_json(stored), t)) if stored else ""


def _claim_line(claim: CheckedClaim, t: Translate) -> str:
    """A claim with how it stands, and the words (and passage) that decide it."""
    state = text_or_default(t, f"reasoning.{claim.state}", claim.state)
    place = t("reasoning.passage", number=claim.passage) if claim.passage else ""
    evidence = " ".join(claim.evidence.split())
    evidence_line = t("reasoning.evidence", place=place, text=evidence) if evidence else place
    return t("reasoning.claim", claim=" ".join(claim.claim.split()), state=state, evidence=evidence_line).rstrip()
