"""The groundedness judge: which claims of an answer rest on the passages, and do all of them?"""

from __future__ import annotations

from collections.abc import Sequence

from core.base.prompt import Engine, NeedsModel, Prompt
from core.base.types import Language, Sample, Score
from core.judges.base import How, Judge
from core.judges.groundedness.claims import Claim, claims_of, risk, supported
from core.judges.groundedness.examples import Shot, shots
from core.judges.groundedness.reasons import joined, say
from core.judges.groundedness.verdict import CheckedClaim, GroundednessVerdict
from core.judges.prompt_data import Shown, shown
from core.judges.turn.reasons import quote
from core.judges.version import version_of_folders
from core.text.language import script
from core.text.normalize import normalize

NAME = "groundedness"
CRITERIA = ("support", "grounded")
LETTERS = 12  # from which a text shows which language it is in
SHOWN = 3  # unsupported claims that the reasons name


class JudgeGroundedness(Prompt[GroundednessVerdict]):
    """Does each claim of the answer stand in the passages?"""

    file = "groundedness"
    role = "judge"
    sample: Sample
    shown: Shown
    examples: tuple[Shot, ...] = ()

    def without_model(self) -> GroundednessVerdict:
        """Claims by sentences, looked up in the passages; raises NeedsModel where the two are in different languages."""
        held = passages_of(self.sample)
        if foreign(self.sample.answer, held):
            raise NeedsModel("the answer and its passages are in different languages")
        claims = claims_of(self.sample.answer, self.sample.question, held)
        good = [supported(claim) for claim in claims]
        checked = tuple(_checked(claim, fine) for claim, fine in zip(claims, good, strict=True))
        reasons = _reasons(claims, good, self.language) if claims else say("nothing", self.language)
        return GroundednessVerdict(claims=checked, reasons=reasons, grounded="Yes" if all(good) else "No")


def scores(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """support: share of supported claims, label "3/4"; grounded: Yes (1) or No (0).

    A reply that claims nothing (a refusal, a question back) has neither: both are unscored, and the error says why.
    """
    prompt = JudgeGroundedness(
        sample=sample, shown=shown(sample), examples=shots(NAME, how, frozenset({"Yes", "No"})), language=how.language
    )
    verdict = engine.ask(prompt)
    if not verdict.claims:
        return tuple(_unscored(name, say("nothing", how.language)) for name in CRITERIA)
    held = sum(claim.state == "supported" for claim in verdict.claims)
    share = Score(
        judge=NAME,
        criterion="support",
        value=held / len(verdict.claims),
        label=f"{held}/{len(verdict.claims)}",
        reasons=_listed(verdict, how.language),
    )
    value = float(verdict.grounded == "Yes")
    return share, Score(judge=NAME, criterion="grounded", value=value, label=verdict.grounded, reasons=verdict.reasons)


def _unscored(criterion: str, error: str) -> Score:
    return Score(judge=NAME, criterion=criterion, value=None, error=error)


def passages_of(sample: Sample) -> tuple[str, ...]:
    """The passages as the prompt numbers them."""
    return tuple(text for text in sample.contexts if text.strip())


def foreign(text: str, passages: Sequence[str]) -> bool:
    """Whether one of text and passages is Japanese or Chinese and the other is not."""
    said, held = text[:2_000], "\n".join(passages)[:2_000]
    if min(sum(sign.isalpha() for sign in one) for one in (said, held)) < LETTERS:
        return False
    return (script(said) == "en") != (script(held) == "en") and normalize(said) not in normalize(held)


def _checked(claim: Claim, held: bool) -> CheckedClaim:
    found = claim.finding
    state = "supported" if held else "contradicted" if claim.clash else "absent"
    place = 0 if state == "absent" else found.place
    text = (
        claim.clash[1] if claim.clash and state == "contradicted" else found.unit.text if place and found.unit else ""
    )
    return CheckedClaim(claim=claim.text, passage=place, quote=text, state=state)


def _reasons(claims: Sequence[Claim], good: Sequence[bool], language: Language) -> str:
    bad = [claim for claim, held in zip(claims, good, strict=True) if not held]
    if bad:
        worst = sorted(bad, key=lambda claim: (not claim.unknown, -risk(claim.features)))[:SHOWN]
        first = say("some_unsupported", language, count=len(claims), bad=len(bad))
        return joined([first, *(_lacking(claim, language) for claim in worst)], language)
    best = max(claims, key=lambda claim: claim.finding.share * claim.finding.weight)
    parts = [say("all_supported", language, count=len(claims))]
    if best.finding.place and best.finding.unit:
        held = quote(best.finding.unit.text)
        parts.append(say("supported", language, claim=quote(best.text), place=best.finding.place, quote=held))
    return joined(parts, language)


def _lacking(claim: Claim, language: Language) -> str:
    if claim.unknown:
        return say("figure", language, claim=quote(claim.text), said=claim.unknown)
    if claim.clash:
        said, other = map(quote, claim.clash)
        return say("contradicted", language, said=said, found=other, place=claim.finding.place)
    if claim.added:
        return say("added", language, claim=quote(claim.text), said=claim.added)
    return say("absent", language, claim=quote(claim.text))


def _listed(verdict: GroundednessVerdict, language: Language) -> str:
    """Each claim with what became of it."""
    lines: list[str] = []
    for one in verdict.claims:
        if one.state == "absent" or not one.passage:
            lines.append(say("absent", language, claim=quote(one.claim)))
        else:
            holes = {"claim": quote(one.claim), "said": quote(one.claim), "place": one.passage}
            text = quote(one.quote)
            lines.append(say(one.state, language, quote=text, found=text, **holes))
    return "\n".join(lines)


JUDGE = Judge(
    NAME,
    CRITERIA,
    ("answer", "contexts"),
    version_of_folders("judges/groundedness", "judges/turn", "judges/rules", "text"),
    scores,
    scale="share",
)
