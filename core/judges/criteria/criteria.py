"""`criteria:NAME` and `labeled_criteria:NAME`: does an answer meet a criterion? Y or N, several in one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from core.base.fence import fence_text
from core.base.frozen_model import FrozenModel
from core.base.prompt import Engine, NeedsModel
from core.base.toml import bundled_toml
from core.base.types import Language, Sample, Score
from core.judges.base import Judge, JudgeOptions, Scorer, needs_model
from core.judges.judge_prompt import JudgePrompt, shown_examples
from core.judges.quiz.quiz import by_contexts, by_reference
from core.judges.reasons import ReasonTexts
from core.judges.relevance.relevance import JudgeRelevance
from core.judges.rules.answer_measures import measure
from core.judges.turn.verdict import GOOD_SCORE, coherence_of
from core.judges.version import MEANING, counted_text, version_of, version_of_sources

HERE = Path(__file__).parent
REASONS = ReasonTexts(__file__)
Family = Literal["criteria", "labeled_criteria"]
# The sources whose rules decide without a model
SOURCES = (
    *("judges/relevance", "judges/quiz", "judges/correctness", "judges/turn", "judges/rules"),
    *("text", "text/distress", *MEANING),
)


class Criterion(FrozenModel):
    """One criterion, worded as a description that an answer meets or does not."""

    name: str
    wording: str = ""  # in every language that `ja` and `en` leave empty
    ja: str = ""
    en: str = ""
    bad: bool = False  # an answer should not meet it, so a score's value is 1 for N
    labeled: bool = False  # own criteria only: judged by a reference or contexts; the built-in ones can be either

    def worded(self, language: Language) -> str:
        """The wording in a language, else in the other one."""
        own, other = (self.ja, self.en) if language == "ja" else (self.en, self.ja)
        return own.strip() or self.wording.strip() or other.strip()


class CriterionInPrompt(FrozenModel):
    """A criterion as a prompt shows it: `id` is its name, `wording` is fenced, since an owner may have written anything."""

    id: str
    wording: str


@cache
def built_in_criteria() -> dict[str, Criterion]:
    """The fourteen criteria that come with Kiku, by name, in the order of the file."""
    stored = bundled_toml(__file__, "wordings.toml")
    return {name: Criterion.model_validate({"name": name, **row}) for name, row in stored.items()}


class CriterionVerdict(FrozenModel):
    """The reasons, then Y or N, for one criterion."""

    id: str = Field(description="The criterion's id, copied as it was given.")
    reasons: str = Field(description="What in the answer shows it, with a short quote. Written before the verdict.")
    verdict: Literal["Y", "N"] = Field(description="Y when the criterion's description holds for the answer, else N.")


class CriteriaVerdicts(FrozenModel):
    """Exactly one verdict for every criterion listed."""

    verdicts: tuple[CriterionVerdict, ...] = Field(description="One item per criterion, in the order listed.")


class ComputedVerdicts(CriteriaVerdicts):
    """Verdicts computed without a model; those on criteria that only a model can judge are missing."""


def _computed(name: str, labeled: bool, sample: Sample, language: Language) -> CriterionVerdict | None:
    """The computed verdict on a criterion; None if only a model can judge it."""
    if (name, labeled) not in _COMPUTED_CRITERIA:
        return None
    try:
        is_met, reasons = _COMPUTED_CRITERIA[name, labeled](sample, language)
    except NeedsModel:
        return None
    return CriterionVerdict(id=name, reasons=reasons, verdict="Y" if is_met else "N")


def _coherence(sample: Sample, language: Language) -> tuple[bool, str]:
    """By visible flaws: repetition, broken text, self-contradiction, the wrong language."""
    coherence = coherence_of(sample, measure(sample), language)
    return (coherence.score or 1) >= GOOD_SCORE, coherence.reason


def _relevance(sample: Sample, language: Language) -> tuple[bool, str]:
    found = JudgeRelevance(sample=sample, language=language).without_model()
    return found.verdict == "Yes", found.reasons


def _correctness(sample: Sample, language: Language) -> tuple[bool, str]:
    """By the reference if there is one, else by the passages."""
    by = by_reference if sample.references else by_contexts
    graded = by(sample, False, language)
    return graded.grade == "CORRECT", graded.conclusion


# How a criterion, by name and whether it is labeled, is judged without a model: (whether it is met, the reasons)
_COMPUTED_CRITERIA: dict[tuple[str, bool], Callable[[Sample, Language], tuple[bool, str]]] = {
    ("coherence", False): _coherence,
    ("coherence", True): _coherence,
    ("relevance", False): _relevance,
    ("relevance", True): _relevance,
    ("correctness", True): _correctness,
}


class JudgeCriteria(JudgePrompt[CriteriaVerdicts]):
    """Which of these criteria does the answer meet? `labeled`: by the reference or the contexts, not by knowledge."""

    file = "criteria"
    required = ("shown.answer", "criteria")
    criteria: tuple[CriterionInPrompt, ...]
    labeled: bool

    def without_model(self) -> CriteriaVerdicts:
        """The verdicts on the criteria that can be computed; raises NeedsModel if there are none."""
        found = (_computed(one.id, self.labeled, self.sample, self.language) for one in self.criteria)
        known = tuple(filter(None, found))
        if not known:
            raise NeedsModel("none of these criteria can be judged without a language model")
        return ComputedVerdicts(verdicts=known)


@dataclass(frozen=True)
class CriterionJudge(Judge):
    """The judge of one criterion."""

    criterion: Criterion = field(default_factory=lambda: Criterion(name=""))
    labeled: bool = False  # judged by a reference or contexts


def criterion_judge(criterion: Criterion, family: Family) -> CriterionJudge:
    """The judge of one criterion, which can share a call with others of its family."""
    labeled = family == "labeled_criteria"
    computed = (criterion.name, labeled) in _COMPUTED_CRITERIA
    judge = CriterionJudge(
        name=f"{family}:{criterion.name}",
        criteria=(criterion.name,),
        needs=("question", "answer", "grounds") if labeled else ("question", "answer"),
        version=version_of(_rules(computed), family, criterion.model_dump_json()),
        scores=lambda engine, sample, options: _scorer((judge,))(engine, sample, options),
        needs_model=not computed,
        prompts=(JudgeCriteria,),
        together=_scorer,
        criterion=criterion,
        labeled=labeled,
    )
    return judge


def _scorer(judges: Sequence[Judge]) -> Scorer:
    """One call for all these judges, which are of one family."""
    ours = tuple(judge for judge in judges if isinstance(judge, CriterionJudge))

    def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
        language = options.language
        shown = ((judge.criterion.name, judge.criterion.worded(language)) for judge in ours)
        prompt = JudgeCriteria(
            sample=sample,
            criteria=tuple(CriterionInPrompt(id=name, wording=fence_text(wording)) for name, wording in shown),
            labeled=ours[0].labeled,
            examples=tuple(example for judge in ours for example in _examples(judge, options)),
            language=language,
        )
        reply = engine.ask(prompt)
        return tuple(_score(judge, reply, language) for judge in ours)

    return scores


def _examples(judge: CriterionJudge, options: JudgeOptions) -> tuple[dict[str, Any], ...]:
    """The judge's examples; one whose label is not Y or N is left out."""
    found = shown_examples(options.examples.get(judge.name, ()), ("Y", "N"))
    return tuple({**one, "id": judge.criterion.name} for one in found)


def _score(judge: CriterionJudge, reply: CriteriaVerdicts, language: Language) -> Score:
    """The score by the criterion's verdict; unscored if the reply has none, or more than one."""
    name = judge.criterion.name
    found = [one for one in reply.verdicts if _bare_id(one.id) == name.casefold()]
    if isinstance(reply, ComputedVerdicts) and not found:
        return judge.unscored(needs_model(judge, language))[0]
    if len(found) != 1:
        return judge.unscored(REASONS("doubled" if found else "missing", language, name=name, count=len(found)))[0]
    label, reasons = found[0].verdict, found[0].reasons
    value = float((label == "Y") != judge.criterion.bad)
    return Score(judge=judge.name, criterion=name, value=value, label=label, reasons=reasons)


def _bare_id(label: str) -> str:
    """A criterion's id as a model copies it, without a label before it, quotation marks or capitals."""
    return re.split(r"[:：]", label)[-1].strip(" \t\"'`「」*[]()").casefold()


@cache
def _rules(computed: bool) -> str:
    """The hash of everything but the wording that decides a verdict: prompts, reply type, and rules if it is
    computed."""
    files = (*sorted(HERE.glob("*.md")), HERE / "criteria.py")
    below = version_of_sources(*SOURCES) if computed else ""
    return version_of(*map(counted_text, files), below)
