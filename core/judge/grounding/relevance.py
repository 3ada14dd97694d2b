"""The relevance judge: does the answer address the question?"""

from __future__ import annotations

import re

from core.base.language import normalise
from core.base.prompt import Engine, NeedsModel, Prompt
from core.base.types import Sample, Score
from core.judge.grounding.say import say
from core.judge.grounding.shots import Shot, shots
from core.judge.grounding.verdict import Decision
from core.judge.grounding.yes import sign
from core.judge.judge import How, Judge
from core.judge.text.refusal import is_pasted, is_question, is_refusal
from core.judge.text.shown import Shown, shown
from core.judge.turn.marks import declined
from core.judge.turn.reading import Reading, read
from core.judge.turn.reasons import quote
from core.judge.version import version_of_folders

NAME = "relevance"
SHORT = 40  # characters up to which an answer may be a mere name or figure, which need not repeat the question's words
_SENTENCE = re.compile(
    r"(?:です|ます|ました|ません|でした|である|だ)[。.]?$|[。]|\b(?:is|are|was|were|has|have|can|will)\b|[是了很有在]|[\u4e00-\u9fff]{6,}"
)
ADDRESSED = 0.2  # share of the need that an answer must take up, where no passage links the two
LINKED = 0.45  # how near the passages behind the answer are to the best one for the question


class JudgeRelevance(Prompt[Decision]):
    """Does the answer address the question?"""

    file = "relevance"
    role = "judge"
    sample: Sample
    shown: Shown
    examples: tuple[Shot, ...] = ()

    def without_model(self) -> Decision:
        """Whether the answer takes up what was asked: its words, the kind of thing asked for, the passages behind it.

        Raises NeedsModel where neither its words nor a passage say anything of that.
        """
        found = read(self.sample.model_copy(update={"reference": ()}))
        key, yes, quoted = _verdict(self.sample, found)
        slot = say(f"slot_{found.empty_slots[0]}", self.language) if key == "no_slot" else ""
        reasons = say(key, self.language, quote=quote(quoted), need=found.topic, slot=slot)
        return Decision(reasons=reasons, verdict="Yes" if yes else "No")


def scores(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
    """Yes (1) or No (0)."""
    examples = shots(NAME, how, frozenset({"Yes", "No"}))
    found = engine.ask(JudgeRelevance(sample=sample, shown=shown(sample), examples=examples, language=how.language))
    return (
        Score(
            judge=NAME, criterion=NAME, value=float(found.verdict == "Yes"), label=found.verdict, reasons=found.reasons
        ),
    )


def _verdict(sample: Sample, found: Reading) -> tuple[str, bool, str]:
    """(the key of the reason, whether it is Yes, the words that show it)."""
    if declined(found):
        return "declines", False, next((part for part in found.parts if is_refusal(part)), sample.answer)
    if found.parts and (sample.asked_back or all(is_question(part) for part in found.parts)):
        return "asks_back", False, found.parts[-1]
    if sign(sample.answer, sample.question):
        return "yes_no", True, sample.answer.strip()
    if not found.said:
        return _hollow(sample, found)
    if found.empty_slots:
        return "no_slot", False, found.said
    best = max(found.claims, key=lambda one: (len(found.need & one.claim.words), one.weight), default=None)
    said = best.claim.text if best else found.said
    if found.direct >= ADDRESSED:
        return "relevant", True, said
    if found.placed >= LINKED:
        return "linked", True, said
    if _fills(sample, found):
        return "fills", True, said
    return "beside", False, found.said


def _hollow(sample: Sample, found: Reading) -> tuple[str, bool, str]:
    """No statement: a plea and a repetition are No, the rest is for a model."""
    if found.plea:
        return "plea", False, found.plea
    if found.parts and all(is_pasted(part, sample.question) for part in found.parts):
        return "repeats", False, found.parts[0]
    raise NeedsModel("nothing in the answer can be compared with the question")


def _fills(sample: Sample, found: Reading) -> bool:
    """Whether a short answer without passages gives the kind of figure or the mere name that was asked for."""
    short = len(sample.answer.strip()) <= SHORT and not sample.contexts
    if short and found.slots:
        return True
    return short and not _SENTENCE.search(normalise(sample.answer))


JUDGE = Judge(NAME, (NAME,), ("question", "answer"), version_of_folders("grounding", "turn", "text"), scores)
