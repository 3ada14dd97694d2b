"""The groundedness judge: which claims of an answer do the passages support, and do they support all?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel
from core.base.types import CheckedClaim, Language, Reasoning, Sample, Score
from core.judges.base import YES_NO, Judge, JudgeOptions, YesNo
from core.judges.groundedness.claims import Claim, claims_of, is_supported, risk
from core.judges.judge_prompt import JudgePrompt
from core.judges.reasons import ReasonTexts, quote
from core.judges.version import version_of_sources
from core.text.language import join_sentences, share_no_script

NAME = "groundedness"
CRITERIA = ("support", "grounded")
MAX_SHOWN_CLAIMS = 3  # unsupported claims that the reasons name
REASONS = ReasonTexts(__file__)


class Statement(FrozenModel):
    """One claim compared with the passages."""

    claim: str = Field(description="One statement, short, in the words of the text it comes from.")
    passage: int = Field(ge=0, description="Number of the passage that decides it; 0 if no passage mentions it.")
    quote: str = Field(description="The words of that passage that support or contradict it; empty if none do.")
    state: Literal["supported", "contradicted", "absent"] = Field(
        description="supported: a passage says so; contradicted: a passage says otherwise; absent: none says it."
    )


class GroundednessVerdict(FrozenModel):
    """Every claim with its passage, then the reasons; whether all of it rests on the passages follows from the claims."""

    claims: tuple[Statement, ...] = Field(description="All claims of the answer; empty if it claims nothing.")
    reasons: str = Field(description="Which claims lack support and why, or why all have it; one to three sentences.")

    @property
    def grounded(self) -> YesNo:
        """Yes when every claim is supported by the passages, otherwise No."""
        return all_supported(self.claims)


def all_supported(claims: Sequence[Statement]) -> YesNo:
    """Yes if every claim is supported, otherwise No."""
    return "Yes" if all(one.state == "supported" for one in claims) else "No"


def reasoning_of(claims: Iterable[Statement]) -> Reasoning:
    """The claims as they are stored with a score."""
    checked = (
        CheckedClaim(claim=one.claim, state=one.state, evidence=one.quote, passage=one.passage) for one in claims
    )
    return Reasoning(claims=tuple(checked))


class JudgeGroundedness(JudgePrompt[GroundednessVerdict]):
    """Do the passages support each claim of the answer?"""

    file = "groundedness"
    required = ("shown.answer", "shown.contexts")

    def without_model(self) -> GroundednessVerdict:
        """The sentences of the answer checked against the passages; raises NeedsModel across languages."""
        passages = self.sample.passages
        if share_no_script(self.sample.answer, "\n".join(passages)):
            raise NeedsModel("the answer and its passages are in different languages")
        claims = claims_of(self.sample.answer, self.sample.question, passages)
        good = [is_supported(claim) for claim in claims]
        checked = tuple(_checked(claim, fine) for claim, fine in zip(claims, good, strict=True))
        reasons = _reasons(claims, good, self.language) if claims else REASONS("nothing", self.language)
        return GroundednessVerdict(claims=checked, reasons=reasons)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """support: share of supported claims, label "3/4"; grounded: Yes (1) or No (0).

    A reply that claims nothing (a refusal, a clarifying question) has neither: both are unscored, and the error says
    why.
    """
    if sample.asked_back and not claims_of(sample.answer, sample.question, sample.passages):
        return JUDGE.unscored(REASONS("nothing", options.language))  # saves a model call
    verdict = engine.ask(JudgeGroundedness.about(sample, options, NAME, YES_NO))
    if not verdict.claims:
        return JUDGE.unscored(REASONS("nothing", options.language))
    supported_claims = sum(claim.state == "supported" for claim in verdict.claims)
    share = Score(
        judge=NAME,
        criterion="support",
        value=supported_claims / len(verdict.claims),
        label=f"{supported_claims}/{len(verdict.claims)}",
        reasons=_listed(verdict, options.language),
        reasoning=reasoning_of(verdict.claims),
    )
    value = float(verdict.grounded == "Yes")
    return share, Score(judge=NAME, criterion="grounded", value=value, label=verdict.grounded, reasons=verdict.reasons)


def _checked(claim: Claim, is_supported: bool) -> Statement:
    if is_supported or not claim.contradiction:
        return supported_or_absent(claim, is_supported)
    number, (_, evidence) = claim.check.passage_number, claim.contradiction
    return Statement(claim=claim.text, passage=number, quote=evidence, state="contradicted")


def supported_or_absent(claim: Claim, is_supported: bool) -> Statement:
    """A claim as a statement that its nearest sentence supports, or that no passage mentions."""
    if not is_supported:
        return Statement(claim=claim.text, passage=0, quote="", state="absent")
    text = claim.check.nearest.text if claim.check.nearest else ""
    return Statement(claim=claim.text, passage=claim.check.passage_number, quote=text, state="supported")


def _reasons(claims: Sequence[Claim], good: Sequence[bool], language: Language) -> str:
    bad = [claim for claim, is_supported in zip(claims, good, strict=True) if not is_supported]
    if bad:
        worst = sorted(bad, key=lambda claim: (not claim.unknown, -risk(claim.features)))[:MAX_SHOWN_CLAIMS]
        first = REASONS("some_unsupported", language, count=len(claims), bad=len(bad))
        return join_sentences([first, *(_lacking(claim, language) for claim in worst)], language)
    best = max(claims, key=lambda claim: claim.check.share * claim.check.weight)
    parts = [REASONS("all_supported", language, count=len(claims))]
    if best.check.passage_number and best.check.nearest:
        quotes = {"claim": quote(best.text), "quote": quote(best.check.nearest.text)}
        parts.append(REASONS("supported", language, passage_number=best.check.passage_number, **quotes))
    return join_sentences(parts, language)


def _lacking(claim: Claim, language: Language) -> str:
    if claim.unknown:
        return REASONS("figure", language, claim=quote(claim.text), claim_span=claim.unknown)
    if claim.contradiction:
        (claim_span, evidence), number = map(quote, claim.contradiction), claim.check.passage_number
        return REASONS("contradicted", language, claim_span=claim_span, evidence=evidence, passage_number=number)
    if claim.added:
        return REASONS("added", language, claim=quote(claim.text), claim_span=claim.added)
    return REASONS("absent", language, claim=quote(claim.text))


def _listed(verdict: GroundednessVerdict, language: Language) -> str:
    """Each claim with its state."""
    lines: list[str] = []
    for one in verdict.claims:
        if one.state == "absent" or not one.passage:
            lines.append(REASONS("absent", language, claim=quote(one.claim)))
        else:
            placeholders = {"claim": quote(one.claim), "claim_span": quote(one.claim), "passage_number": one.passage}
            text = quote(one.quote)
            lines.append(REASONS(one.state, language, quote=text, evidence=text, **placeholders))
    return "\n".join(lines)


JUDGE = Judge(
    NAME,
    CRITERIA,
    ("answer", "contexts"),
    version_of_sources("judges/groundedness", "judges/rules", "text"),
    scores,
    prompts=(JudgeGroundedness,),
)
