"""The correctness of an answer without a language model."""

from __future__ import annotations

import re
import unicodedata

from core.base.language import script
from core.base.prompt import NeedsModel
from core.base.types import Language, Sample
from core.judge.correctness.claims import is_long, judge_claims
from core.judge.correctness.said import LONGEST
from core.judge.correctness.say import say
from core.judge.correctness.short import judge_short
from core.judge.correctness.unspaced import judge_unspaced
from core.judge.correctness.verdict import Claim, CorrectnessVerdict
from core.judge.correctness.veto import conflict
from core.judge.correctness.yesno import agrees
from core.judge.text.canon import canon
from core.judge.text.refusal import is_refusal, spoken
from core.judge.turn.reading import question_of

MOST = 100  # references that are compared
_LATIN = re.compile(r"[A-Za-z]{3,}")


def compute(sample: Sample, language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer meets best; raises NeedsModel where they share no script."""
    sample = _readable(sample)
    references = tuple(text for text in sample.reference if re.search(r"\w", text))
    if not references:
        raise NeedsModel("the reference holds no words to compare with")
    if all(map(is_refusal, references)):
        return _declined(sample, references[0], language)
    sided = _sided(sample, references, language)
    if sided:
        return sided
    best = _best(sample, references, language)
    if best.verdict == "No":
        level = sample.model_copy(update={"answer": canon(sample.answer)})
        again = _best(level, tuple(map(canon, references)), language) if _changed(sample, references) else best
        best = again if again.verdict == "Yes" else best
    if best.verdict == "Yes":
        return _vetoed(sample, references, best, language)
    if all(_foreign(sample.answer, text) for text in references):
        raise NeedsModel("the answer and the reference are in different languages")
    return best


def _best(sample: Sample, references: tuple[str, ...], language: Language) -> CorrectnessVerdict:
    """The verdict by the reference that the answer meets best."""
    verdicts = [judge_claims(sample, text, language) for text in references if is_long(text)]
    short = tuple(text for text in references if not is_long(text))
    if short:
        judge = judge_short if script(f"{sample.answer} {short[0]}") == "en" else judge_unspaced
        verdicts.append(judge(question_of(sample), sample.answer, short, language))
    return max(verdicts, key=_rank)


def _changed(sample: Sample, references: tuple[str, ...]) -> bool:
    """Whether a numeral or a measure of either side has another spelling."""
    return any(canon(text) != _plain(text) for text in (sample.answer, *references))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _sided(sample: Sample, references: tuple[str, ...], language: Language) -> CorrectnessVerdict | None:
    """The verdict on a bare yes or no; none for any other answer."""
    found = [(agrees(question_of(sample), sample.answer, text), text) for text in references]
    known = [(same, text) for same, text in found if same is not None]
    if not known:
        return None
    same, text = max(known, key=lambda one: bool(one[0]))
    if same:
        return _won(text, sample.answer, "found.side", language)
    return _lost(text, sample.answer, "wrong.side", language)


def _won(reference: str, said: str, key: str, language: Language) -> CorrectnessVerdict:
    claim = Claim(claim=reference, evidence=said, status="found")
    return CorrectnessVerdict(claims=(claim,), reason=say(key, language, wanted=reference, said=said), verdict="Yes")


def _lost(reference: str, said: str, key: str, language: Language) -> CorrectnessVerdict:
    claim = Claim(claim=reference, evidence=said, status="contradicted")
    return CorrectnessVerdict(claims=(claim,), reason=say(key, language, wanted=reference, said=said), verdict="No")


def _vetoed(
    sample: Sample, references: tuple[str, ...], best: CorrectnessVerdict, language: Language
) -> CorrectnessVerdict:
    """The verdict, turned to No where the answer is at odds with every reference."""
    asked = question_of(sample)
    found = [conflict(asked, sample.answer, text) for text in references]
    if not all(found):
        return best
    return _lost(references[0], found[0], "wrong.claims", language)


def _readable(sample: Sample) -> Sample:
    """The sample without halves of characters, which no tokenizer takes."""
    plain = {"question": _whole(sample.question), "answer": _whole(sample.answer)}
    return sample.model_copy(update={**plain, "reference": tuple(map(_whole, sample.reference[:MOST]))})


def _whole(text: str) -> str:
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8")


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
