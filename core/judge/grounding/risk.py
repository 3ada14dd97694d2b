"""How likely a claim is to be unsupported: a fitted logistic model over the features of a claim."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from core.judge.grounding.claims import NAMES, Claim

FILE = Path(__file__).with_name("risk.toml")


def risk(features: Sequence[float]) -> float:
    """Chance (0 to 1) that people mark a claim with these features as hallucinated."""
    stored = _stored()
    found = stored["intercept"] + math.fsum(stored[name] * value for name, value in zip(NAMES, features, strict=True))
    return 1.0 / (1.0 + math.exp(-found))


def supported(claim: Claim) -> bool:
    """Whether a claim counts as supported: not refuted, and little risk."""
    return not claim.refuted and risk(claim.features) < _stored()["threshold"]


@cache
def _stored() -> dict[str, float]:
    return {name: float(value) for name, value in tomllib.loads(FILE.read_text("utf-8"))["claim"].items()}
