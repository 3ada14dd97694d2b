"""The relevance judge: does the answer address the question?"""

from __future__ import annotations

import re

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel
from core.base.types import Reasoning, Sample, Score
from core.judges.base import YES_NO, Judge, JudgeOptions, YesNo, yes_or_no
from core.judges.judge_prompt import JudgePrompt
from core.judges.reasons import ReasonTexts, quote
from core.judges.rules.answer_measures import Measures, measure
from core.judges.rules.yes_no import answer_polarity
from core.judges.version import version_of_sources
from core.text.normalize import normalize
from core.text.questions import is_question, repeats_question
from core.text.refusals import is_refusal

NAME = "relevance"
REASONS = ReasonTexts(__file__)
MAX_NAME_LENGTH = 40  # characters up to which an answer may be a mere name or figure, without words of the question
_SENTENCE = re.compile(
    r"(?:です|ます|ました|ません|でした|である|だ)[。.]?$|[。]|\b(?:is|are|was|were|has|have|can|will)\b|[是了很有在]|[\u4e00-\u9fff]{6,}"
)
ADDRESSED_FROM = 0.2  # share of the question that an answer must cover if no passage links the two
LINKED_FROM = 0.45  # fit of the passages behind the answer, relative to the best one for the question


class RelevanceVerdict(FrozenModel):
    """What the person wants, the answer's words for it, the reasons, then Yes or No."""

    wants: str = Field(description="One sentence: what the person wants to know.")
    quote: str = Field(description="The part of the answer that speaks to it; empty if there is none.")
    reasons: str = Field(description="Why, in one to three sentences, written before the verdict.")
    verdict: YesNo = Field(description="Yes if the answer gives what was asked for, otherwise No.")


class JudgeRelevance(JudgePrompt[RelevanceVerdict]):
    """Does the answer address the question?"""

    file = "relevance"
    required = ("shown.question", "shown.answer")

    def without_model(self) -> RelevanceVerdict:
        """Whether the answer addresses the question: by its words, the kind of value asked for, and the passages behind
        it.

        Raises NeedsModel if neither its words nor a passage decide it.
        """
        measures = measure(self.sample.model_copy(update={"reference": ()}))
        key, yes, quoted = _verdict(self.sample, measures)
        slot = REASONS(f"kinds.{measures.missing_kinds[0]}", self.language) if key == "no_slot" else ""
        reasons = REASONS(key, self.language, quote=quote(quoted), topic=measures.topic, slot=slot)
        wants, shown_part = " ".join(self.sample.question.split()), quoted if yes else ""
        return RelevanceVerdict(wants=wants, quote=shown_part, reasons=reasons, verdict="Yes" if yes else "No")


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Yes (1) or No (0)."""
    verdict = engine.ask(JudgeRelevance.about(sample, options, NAME, YES_NO))
    steps = tuple(text for text in (verdict.wants, verdict.quote) if text.strip())
    return yes_or_no(NAME, verdict.verdict, verdict.reasons, Reasoning(steps=steps))


def _verdict(sample: Sample, measures: Measures) -> tuple[str, bool, str]:
    """(the key of the reason, whether it is Yes, the words that show it)."""
    if measures.only_refuses:
        return "declines", False, next((part for part in measures.sentences if is_refusal(part)), sample.answer)
    if measures.sentences and (sample.asked_back or all(is_question(part) for part in measures.sentences)):
        return "clarifying_question", False, measures.sentences[-1]
    if answer_polarity(sample.answer, sample.question):
        return "yes_no", True, sample.answer.strip()
    if not measures.main_claim:
        return _without_claim(sample, measures)
    if measures.missing_kinds:
        return "no_slot", False, measures.main_claim
    asked = measures.question_words
    quoted = max(measures.claims, key=lambda one: (len(asked & one.claim.words), one.weight)).claim.text
    if measures.question_coverage >= ADDRESSED_FROM:
        return "relevant", True, quoted
    if measures.passage_fit >= LINKED_FROM:
        return "linked", True, quoted
    if _is_short_answer(sample, measures):
        return "short_answer", True, quoted
    return "beside", False, measures.main_claim


def _without_claim(sample: Sample, measures: Measures) -> tuple[str, bool, str]:
    """For a reply without statements: words to the judge and a repetition are No, the rest needs a model."""
    if measures.words_to_grader:
        return "addressed", False, measures.words_to_grader
    if measures.sentences and all(repeats_question(part, sample.question) for part in measures.sentences):
        return "repeats", False, measures.sentences[0]
    raise NeedsModel("nothing in the answer can be compared with the question")


def _is_short_answer(sample: Sample, measures: Measures) -> bool:
    """Whether a short answer without passages gives the kind of figure or the mere name that was asked for."""
    short = len(sample.answer.strip()) <= MAX_NAME_LENGTH and not sample.contexts
    return short and bool(measures.figures_asked or not _SENTENCE.search(normalize(sample.answer)))


JUDGE = Judge(
    NAME,
    (NAME,),
    ("question", "answer"),
    version_of_sources("judges/relevance", "judges/rules", "text"),
    scores,
    prompts=(JudgeRelevance,),
)
