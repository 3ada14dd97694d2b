"""The correctness of an answer without a language model."""

from __future__ import annotations

import re

from core.base.language import script
from core.base.prompt import NeedsModel
from core.base.types import Language, Sample
from core.judge.correctness.claims import is_long, judge_claims
from core.judge.correctness.say import say
from core.judge.correctness.short import judge_short
from core.judge.correctness.unspaced import judge_unspaced
from core.judge.correctness.verdict import Claim, CorrectnessVerdict
from core.judge.text.refusal import is_refusal, spoken
from core.judge.turn.reading import question_of

_LATIN = re.compile(r"[A-Za-z]{3,}")


def compute(sample: Sample, language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer meets best; raises NeedsModel where they share no script."""
    sample = _readable(sample)
    references = tuple(text for text in sample.reference if re.search(r"\w", text))
    if not references:
        raise NeedsModel("the reference holds no words to compare with")
    if all(map(is_refusal, references)):
        return _declined(sample, references[0], language)
    verdicts = [judge_claims(sample, text, language) for text in references if is_long(text)]
    short = tuple(text for text in references if not is_long(text))
    if short:
        judge = judge_short if script(f"{sample.answer} {short[0]}") == "en" else judge_unspaced
        verdicts.append(judge(question_of(sample), sample.answer, short, language))
    best = max(verdicts, key=_rank)
    if best.verdict == "No" and all(_foreign(sample.answer, text) for text in references):
        raise NeedsModel("the answer and the reference are in different languages")
    return best


def _readable(sample: Sample) -> Sample:
    """The sample without halves of characters, which no tokenizer takes."""
    plain = {"question": _whole(sample.question), "answer": _whole(sample.answer)}
    return sample.model_copy(update={**plain, "reference": tuple(map(_whole, sample.reference))})


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _rank(verdict: CorrectnessVerdict) -> tuple[bool, float]:
    held = sum(1 for one in verdict.claims if one.status == "found")
    return verdict.verdict == "Yes", held / max(len(verdict.claims), 1)


def _foreign(answer: str, reference: str) -> bool:
    """Whether one text is in Latin letters and the other in kana or Han, so that no words can be compared."""
    sides = {script(answer) == "en", script(reference) == "en"}
    both = _LATIN.search(answer) and _LATIN.search(reference)
    return len(sides) == 2 and not both and bool(_LATIN.search(answer) or _LATIN.search(reference))


def _declined(sample: Sample, reference: str, language: Language) -> CorrectnessVerdict:
    """The reference says that there is no answer: right is whoever says so and nothing else."""
    parts = spoken(sample.answer)
    saying = next((part for part in parts if is_refusal(part)), "")
    yes = bool(saying) and is_refusal(parts[0])
    claim = Claim(claim=reference, evidence=saying, status="found" if yes else "missing")
    reason = say("found.declined" if yes else "missing.declined", language)
    return CorrectnessVerdict(claims=(claim,), reason=reason, verdict="Yes" if yes else "No")
