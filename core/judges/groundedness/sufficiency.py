"""The sufficiency judge: could the right answer be given from these passages?"""

from __future__ import annotations

import math
from typing import NamedTuple

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.probabilities import linear, logistic
from core.base.prompt import Engine, NeedsModel
from core.base.toml import bundled_toml
from core.base.types import Language, Sample, Score
from core.judges.base import YES_NO, Judge, JudgeOptions, YesNo, yes_or_no
from core.judges.groundedness.claims import Claim, claims_of, is_supported, passage_facts, risk
from core.judges.groundedness.groundedness import REASONS, Statement, all_supported, reasoning_of, supported_or_absent
from core.judges.judge_prompt import JudgePrompt
from core.judges.reasons import quote
from core.judges.rules.answer_measures import question_of
from core.judges.rules.claim_check import segment
from core.judges.version import version_of_sources
from core.text.language import script, share_no_script
from core.text.refusals import answer_sentences, is_refusal

NAME = "sufficiency"
FEATURES = ("support", "least", "worst", "topic")


class Lookup(NamedTuple):
    """A reference checked against the passages."""

    claims: tuple[Claim, ...]
    # In the order of FEATURES, each 0 to 1: supported share of its claims by weight, that of the least supported claim,
    # the highest risk of a claim, the share of the question that the best passage covers
    features: tuple[float, ...]

    @property
    def probability(self) -> float:
        """Probability (0 to 1) that the passages are sufficient."""
        fitted = bundled_toml(__file__, "sufficiency.toml")["sufficiency"]
        return logistic(linear(fitted, dict(zip(FEATURES, self.features, strict=True))))


class SufficiencyVerdict(FrozenModel):
    """Every needed point with its passage, then the reasons; whether the passages are enough follows from the points."""

    points: tuple[Statement, ...] = Field(
        min_length=1, description="What the reference says and without which the question is not answered."
    )
    reasons: str = Field(description="Which points the passages lack and why, or why they are enough.")

    @property
    def verdict(self) -> YesNo:
        """Yes when every point is supported, otherwise No."""
        return all_supported(self.points)


class JudgeSufficiency(JudgePrompt[SufficiencyVerdict]):
    """Could the right answer be given from these passages?"""

    file = "sufficiency"
    required = ("shown.reference", "shown.contexts")

    def without_model(self) -> SufficiencyVerdict:
        """The claims of the best supported reference; raises NeedsModel across languages."""
        found = best_lookup(self.sample)
        if found is None:
            raise NeedsModel("the reference says nothing that could be looked up in these passages")
        enough = found.probability >= 0.5
        return SufficiencyVerdict(points=_points(found, enough), reasons=_reasons(found, enough, self.language))


def best_lookup(sample: Sample) -> Lookup | None:
    """The reference that the passages support best; None if none claims anything or all are in another language."""
    passages = sample.passages
    references = (text for text in sample.references if not share_no_script(text, "\n".join(passages)))
    lookups = (look_up_reference(text, question_of(sample), passages) for text in references)
    return max((one for one in lookups if one.claims), key=lambda one: one.probability, default=None)


def look_up_reference(reference: str, question: str, passages: tuple[str, ...]) -> Lookup:
    """A reference checked against the passages."""
    claims = claims_of(reference, question, passages)
    of = script("\n".join(passages)[:1_500])
    facts = passage_facts(passages, of)
    question_words = segment(question[:2_000], of).words
    topic = max((facts.weights.share(question_words, one.words) for one in facts.sources), default=0.0)
    weight = math.fsum(claim.check.weight for claim in claims)
    mean = math.fsum(claim.check.weight * claim.check.share for claim in claims) / weight if weight else 0.0
    least = min((claim.check.share for claim in claims), default=0.0)
    worst = max((_risk(claim) for claim in claims), default=1.0)
    return Lookup(claims, (mean, least, worst, topic))


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Yes (1) or No (0); unscored if the reference itself says that there is no answer."""
    if all(is_refusal(part) for text in sample.references for part in answer_sentences(text)):
        return JUDGE.unscored(REASONS("reference_declines", options.language))
    found = engine.ask(JudgeSufficiency.about(sample, options, NAME, YES_NO))
    return yes_or_no(NAME, found.verdict, found.reasons, reasoning_of(found.points))


def _points(found: Lookup, enough: bool) -> tuple[Statement, ...]:
    """The claims of the reference as points; if the passages are enough, only the supported ones."""
    if enough:
        there = [claim for claim in found.claims if is_supported(claim)] or [_best_held(found)]
        return tuple(supported_or_absent(claim, True) for claim in there)
    lost = _most_lost(found)
    return tuple(supported_or_absent(claim, is_supported(claim) and claim is not lost) for claim in found.claims)


def _best_held(found: Lookup) -> Claim:
    return max(found.claims, key=lambda claim: (is_supported(claim), claim.check.weight * claim.check.share))


def _most_lost(found: Lookup) -> Claim:
    return max(found.claims, key=lambda claim: (_risk(claim), 1 - claim.check.share))


def _risk(claim: Claim) -> float:
    return 1.0 if claim.refuted else risk(claim.features)


def _reasons(found: Lookup, enough: bool, language: Language) -> str:
    if enough:
        best = _best_held(found)
        evidence = quote(best.check.nearest.text) if best.check.nearest else ""
        return REASONS(
            "sufficient", language, claim=quote(best.text), passage_number=best.check.passage_number, quote=evidence
        )
    lost = _most_lost(found)
    if lost.unknown:
        return REASONS("insufficient_figure", language, claim=quote(lost.text), figure=lost.unknown)
    if max(found.features[0], lost.check.share) > 0.75 and found.features[3] < 0.3:
        return REASONS("off_topic", language)
    return REASONS("insufficient", language, claim=quote(lost.text))


JUDGE = Judge(
    NAME,
    (NAME,),
    ("question", "contexts", "reference"),
    version_of_sources("judges/groundedness", "judges/rules", "text"),
    scores,
    prompts=(JudgeSufficiency,),
)
