"""The relevance judge: does the answer address the question?"""

from __future__ import annotations

import re

from pydantic import Field

from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel
from core.base.types import Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions, yes_or_no
from core.judges.groundedness.claims import sign
from core.judges.groundedness.groundedness import LABELS, REASONS, YesNo
from core.judges.judge_prompt import JudgePrompt
from core.judges.prompt_data import ShownExample, shown_examples
from core.judges.reasons import quote
from core.judges.turn.measures import Measures, measure
from core.judges.turn.scoring import only_refuses
from core.judges.version import version_of_folders
from core.text.normalize import normalize
from core.text.questions import is_question, repeats_question
from core.text.refusals import is_refusal

NAME = "relevance"
SHORT = 40  # characters up to which an answer may be a mere name or figure, which need not repeat the question's words
_SENTENCE = re.compile(
    r"(?:です|ます|ました|ません|でした|である|だ)[。.]?$|[。]|\b(?:is|are|was|were|has|have|can|will)\b|[是了很有在]|[\u4e00-\u9fff]{6,}"
)
ADDRESSED = 0.2  # share of the need that an answer must take up if no passage links the two
LINKED = 0.45  # how near the passages behind the answer are to the best one for the question


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
    examples: tuple[ShownExample, ...] = ()

    def without_model(self) -> RelevanceVerdict:
        """Whether the answer takes up what was asked: its words, the kind of thing asked for, the passages behind it.

        Raises NeedsModel if neither its words nor a passage say anything of that.
        """
        found = measure(self.sample.model_copy(update={"reference": ()}))
        key, yes, quoted = _verdict(self.sample, found)
        slot = REASONS(f"slot_{found.empty_slots[0]}", self.language) if key == "no_slot" else ""
        reasons = REASONS(key, self.language, quote=quote(quoted), need=found.topic, slot=slot)
        wants, shown_part = " ".join(self.sample.question.split()), quoted if yes else ""
        return RelevanceVerdict(wants=wants, quote=shown_part, reasons=reasons, verdict="Yes" if yes else "No")


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Yes (1) or No (0)."""
    examples = shown_examples(options.examples_of(NAME), LABELS)
    found = engine.ask(JudgeRelevance(sample=sample, examples=examples, language=options.language))
    steps = tuple(text for text in (found.wants, found.quote) if text.strip())
    return yes_or_no(NAME, found.verdict, found.reasons, Reasoning(steps=steps))


def _verdict(sample: Sample, found: Measures) -> tuple[str, bool, str]:
    """(the key of the reason, whether it is Yes, the words that show it)."""
    if only_refuses(found):
        return "declines", False, next((part for part in found.parts if is_refusal(part)), sample.answer)
    if found.parts and (sample.asked_back or all(is_question(part) for part in found.parts)):
        return "asks_back", False, found.parts[-1]
    if sign(sample.answer, sample.question):
        return "yes_no", True, sample.answer.strip()
    if not found.main_claim:
        return _without_claim(sample, found)
    if found.empty_slots:
        return "no_slot", False, found.main_claim
    best = max(found.claims, key=lambda one: (len(found.need & one.claim.words), one.weight), default=None)
    quoted = best.claim.text if best else found.main_claim
    if found.direct >= ADDRESSED:
        return "relevant", True, quoted
    if found.placed >= LINKED:
        return "linked", True, quoted
    if _fills(sample, found):
        return "fills", True, quoted
    return "beside", False, found.main_claim


def _without_claim(sample: Sample, found: Measures) -> tuple[str, bool, str]:
    """No statement: words to the judge and a repetition are No, the rest is for a model."""
    if found.addressed:
        return "addressed", False, found.addressed
    if found.parts and all(repeats_question(part, sample.question) for part in found.parts):
        return "repeats", False, found.parts[0]
    raise NeedsModel("nothing in the answer can be compared with the question")


def _fills(sample: Sample, found: Measures) -> bool:
    """Whether a short answer without passages gives the kind of figure or the mere name that was asked for."""
    short = len(sample.answer.strip()) <= SHORT and not sample.contexts
    if short and found.slots:
        return True
    return short and not _SENTENCE.search(normalize(sample.answer))


JUDGE = Judge(
    NAME,
    (NAME,),
    ("question", "answer"),
    version_of_folders("judges/groundedness", "judges/turn", "judges/rules", "text"),
    scores,
    prompts=(JudgeRelevance,),
)
