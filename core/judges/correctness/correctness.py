"""The correctness judge: does the answer say what the reference says? Yes or No, by facts and not by similarity."""

from __future__ import annotations

import re
import unicodedata
from operator import attrgetter

from core.base.prompt import Engine, NeedsModel
from core.base.types import CheckedClaim, Language, Reasoning, Sample, Score
from core.judges.base import YES_NO, Judge, JudgeOptions, yes_or_no
from core.judges.correctness.assertions import LONGEST_ANSWER
from core.judges.correctness.cjk_reference import judge_cjk
from core.judges.correctness.contradictions import conflict
from core.judges.correctness.correctness_verdict import CorrectnessVerdict, Status, one_claim
from core.judges.correctness.long_reference import is_long, judge_claims, quotes_reference
from core.judges.correctness.normalize_units import normalize_units
from core.judges.correctness.short_reference import judge_short
from core.judges.judge_prompt import JudgePrompt
from core.judges.rules.answer_measures import question_of
from core.judges.rules.yes_no import agrees
from core.judges.version import version_of_sources
from core.text.language import content_words, script
from core.text.numbers import amounts
from core.text.refusals import answer_sentences, is_boilerplate, is_refusal

MAX_REFERENCES = 100  # references that are compared
MAX_SHARED_BY_REFUSAL = 0.3  # share of the reference's words from which a contact or a heading may be the answer
_LATIN = re.compile(r"[A-Za-z]{3,}")


class JudgeCorrectness(JudgePrompt[CorrectnessVerdict]):
    """Is the answer right, by the reference? `language` is that of the reasons."""

    file = "correctness"
    required = ("shown.answer", "shown.reference")

    def without_model(self) -> CorrectnessVerdict:
        """Facts of the reference looked up in the answer: a fitted model for short ones, claim by claim for
        sentences."""
        return compute(self.sample, self.language)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """One score: 1 for Yes, 0 for No."""
    verdict = engine.ask(JudgeCorrectness.about(sample, options, "correctness", YES_NO))
    claims = tuple(CheckedClaim(claim=one.claim, state=one.status, evidence=one.evidence) for one in verdict.claims)
    return yes_or_no("correctness", verdict.verdict, verdict.reason, Reasoning(claims=claims))


def compute(sample: Sample, language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer meets best; raises NeedsModel if the two share no script."""
    sample = _encodable(sample)
    references = tuple(text for text in sample.reference if re.search(r"\w", text))
    if not references:
        raise NeedsModel("the reference holds no words to compare with")
    if all(map(is_refusal, references)):
        return _declined(sample, references[0], language)
    if _only_declines(sample.answer, references):
        return one_claim("missing", "missing.refused", references[0], "", language)
    yes_no_verdict = _verdict_on_yes_no(sample, references, language)
    if yes_no_verdict:
        return yes_no_verdict
    best = _best(sample, references, language)
    if best.verdict == "No" and any(map(_is_respelt, (sample.answer, *references))):
        normalized = sample.model_copy(update={"answer": normalize_units(sample.answer)})
        second = _best(normalized, tuple(map(normalize_units, references)), language)
        best = second if second.verdict == "Yes" else best
    if best.verdict == "Yes":
        return _unless_contradicted(sample, references, best, language)
    if all(_foreign(sample.answer, text) for text in references):
        raise NeedsModel("the answer and the reference are in different languages")
    return best


def _best(sample: Sample, references: tuple[str, ...], language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer meets best."""
    verdicts = [judge_claims(sample, text, language) for text in references if is_long(text)]
    short = tuple(text for text in references if not is_long(text))
    if short:
        judge = judge_short if script(f"{sample.answer} {short[0]}") == "en" else judge_cjk
        verdicts.append(judge(question_of(sample), sample.answer, short, language))
    return max(verdicts, key=attrgetter("rank"))


def _is_respelt(text: str) -> bool:
    """Whether normalizing changes a numeral or unit of the text."""
    return normalize_units(text) != unicodedata.normalize("NFKC", text).lower()


def _verdict_on_yes_no(sample: Sample, references: tuple[str, ...], language: Language) -> CorrectnessVerdict | None:
    """The verdict on a bare yes or no; None for any other answer."""
    sides = [(agrees(question_of(sample), sample.answer, text), text) for text in references]
    comparable = [(is_same, text) for is_same, text in sides if is_same is not None]
    if not comparable:
        return None
    is_same, text = max(comparable, key=lambda one: bool(one[0]))
    status, key = ("found", "found.side") if is_same else ("contradicted", "wrong.side")
    return one_claim(status, key, text, sample.answer, language)


def _unless_contradicted(
    sample: Sample, references: tuple[str, ...], best: CorrectnessVerdict, language: Language
) -> CorrectnessVerdict:
    """The verdict, changed to No if the answer contradicts every reference."""
    asked = question_of(sample)
    quoted = any(quotes_reference(sample.answer, text) for text in references)
    conflicts = [conflict(asked, sample.answer, text) for text in references]
    known = frozenset(figure for text in references for figure in amounts(text))
    found = ["" if quoted and amounts(one) <= known else one for one in conflicts]
    if not all(found):
        return best
    return one_claim("contradicted", "wrong.claims", references[0], found[0], language)


def _encodable(sample: Sample) -> Sample:
    """The sample without lone surrogates, which tokenizers reject."""
    texts = (sample.question, sample.answer, *sample.reference[:MAX_REFERENCES])
    question, answer, *reference = (text[:LONGEST_ANSWER].encode("utf-8", "replace").decode("utf-8") for text in texts)
    return sample.model_copy(update={"question": question, "answer": answer, "reference": tuple(reference)})


def _foreign(answer: str, reference: str) -> bool:
    """Whether one text is in Latin letters and the other in kana or Han, so that no words can be compared."""
    sides = {script(answer) == "en", script(reference) == "en"}
    both = _LATIN.search(answer) and _LATIN.search(reference)
    return len(sides) == 2 and not both and bool(_LATIN.search(answer) or _LATIN.search(reference))


def _only_declines(answer: str, references: tuple[str, ...]) -> bool:
    """Whether an answer says first that there is none, and then only whom to ask or what else there is, in other words than
    the references."""
    parts = answer_sentences(answer)
    if not parts or not is_refusal(parts[0]) or not all(is_refusal(part) or is_boilerplate(part) for part in parts):
        return False
    said = set(content_words(answer))
    shares = (len(said & words) / len(words) for text in references if (words := set(content_words(text))))
    return max(shares, default=0.0) < MAX_SHARED_BY_REFUSAL


def _declined(sample: Sample, reference: str, language: Language) -> CorrectnessVerdict:
    """For a reference that says there is no answer: found if the answer opens with saying so."""
    parts = answer_sentences(sample.answer)
    saying = next((part for part in parts if is_refusal(part)), "")
    status: Status = "found" if saying and is_refusal(parts[0]) else "missing"
    return one_claim(status, f"{status}.declined", reference, saying, language)


VERSION = version_of_sources("judges/correctness", "judges/rules", "text")
JUDGE = Judge(
    "correctness", ("correctness",), ("question", "answer", "reference"), VERSION, scores, prompts=(JudgeCorrectness,)
)
