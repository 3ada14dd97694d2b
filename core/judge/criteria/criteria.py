"""`criteria:NAME` and `labeled_criteria:NAME`: does an answer meet a criterion? Y or N, several in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from core.base.prompt import Engine, NeedsModel, Prompt
from core.base.types import Language, Noun, Sample, Score
from core.judge.criteria.computed import FOLDERS, computable, compute
from core.judge.criteria.criterion import Asked, Criterion, asked
from core.judge.criteria.verdict import Computed, CriteriaVerdicts, CriterionVerdict
from core.judge.judge import How, Judge, Scorer
from core.judge.panel import needs_model
from core.judge.text.fence import fenced
from core.judge.text.shown import Shown, shown
from core.judge.text.told import Told
from core.judge.version import version_of, version_of_folders

HERE = Path(__file__).parent
SAY = Told(HERE / "say.toml")
Family = Literal["criteria", "labeled_criteria"]


class ShownExample(Noun):
    """A labelled answer as the prompt shows it."""

    id: str
    shown: Shown
    reasons: str
    label: str


class JudgeCriteria(Prompt[CriteriaVerdicts]):
    """Which of these criteria does the answer meet? `labeled`: by the reference or the contexts, not by knowledge."""

    file = "criteria"
    role = "judge"
    sample: Sample
    shown: Shown
    criteria: tuple[Asked, ...]
    labeled: bool
    examples: tuple[ShownExample, ...] = ()

    def without_model(self) -> CriteriaVerdicts:
        """The verdicts on those few criteria that can be computed; raises NeedsModel where none of them can."""
        known: list[CriterionVerdict] = []
        for one in self.criteria:
            found = compute(one.id, self.labeled, self.sample, self.language)
            if found:
                known.append(CriterionVerdict(id=one.id, reasons=found.reasons, verdict=found.verdict))
        if not known:
            raise NeedsModel("none of these criteria can be judged without a language model")
        beyond = frozenset(one.id for one in self.criteria) - {one.id for one in known}
        return Computed(verdicts=tuple(known), beyond=beyond)


@dataclass(frozen=True)
class CriterionJudge(Judge):
    """The judge of one criterion."""

    criterion: Criterion = field(default_factory=lambda: Criterion(name=""))


def criterion_judge(criterion: Criterion, family: Family) -> CriterionJudge:
    """The judge of one criterion, which can share a call with others of its family."""
    labeled = family == "labeled_criteria"
    computed = computable(criterion.name, labeled)
    judge = CriterionJudge(
        name=f"{family}:{criterion.name}",
        criteria=(criterion.name,),
        needs=("question", "answer", "grounds") if labeled else ("question", "answer"),
        version=version_of(_rules(computed), family, criterion.model_dump_json()),
        scores=lambda engine, sample, how: _scorer((judge,))(engine, sample, how),
        needs_model=not computed,
        bundle=family,
        scores_together=_scorer,
        criterion=criterion,
    )
    return judge


def _scorer(judges: Sequence[Judge]) -> Scorer:
    """One call for all these judges, which are of one family."""
    ours = tuple(judge for judge in judges if isinstance(judge, CriterionJudge))

    def scores(engine: Engine, sample: Sample, how: How) -> tuple[Score, ...]:
        reply = engine.ask(_prompt(ours, sample, how))
        return tuple(_score(judge, reply, how.language) for judge in ours)

    return scores


def _prompt(judges: tuple[CriterionJudge, ...], sample: Sample, how: How) -> JudgeCriteria:
    return JudgeCriteria(
        sample=sample,
        shown=shown(sample),
        criteria=tuple(asked(judge.criterion, how.language) for judge in judges),
        labeled=judges[0].bundle == "labeled_criteria",
        examples=tuple(example for judge in judges for example in _examples(judge, how)),
        language=how.language,
    )


def _examples(judge: CriterionJudge, how: How) -> tuple[ShownExample, ...]:
    """The judge's labelled answers; one whose label is not a verdict of this judge shows nothing and is left out."""
    return tuple(
        ShownExample(
            id=judge.criterion.name,
            shown=shown(one.sample),
            reasons=fenced(one.reasons) if one.reasons.strip() else "",
            label=one.label,
        )
        for one in how.shots(judge.name)
        if one.label in ("Y", "N")
    )


def _score(judge: CriterionJudge, reply: CriteriaVerdicts, language: Language) -> Score:
    """The criterion's own verdict; unscored where the reply has none, or more than one."""
    name = judge.criterion.name
    found = [one for one in reply.verdicts if one.id.strip() == name]
    if isinstance(reply, Computed) and name in reply.beyond:
        return _unscored(judge, needs_model(judge, language))
    if len(found) != 1:
        return _unscored(judge, SAY("doubled" if found else "missing", language, name=name, count=len(found)))
    yes = found[0].verdict == "Y"
    return Score(
        judge=judge.name,
        criterion=name,
        value=float(yes != judge.criterion.bad),
        label=found[0].verdict,
        reasons=found[0].reasons,
    )


def _unscored(judge: CriterionJudge, error: str) -> Score:
    return Score(judge=judge.name, criterion=judge.criterion.name, value=None, error=error)


@cache
def _rules(computed: bool) -> str:
    """All that decides a verdict but the wording: the prompts, the reply, and what is computed where something is."""
    files = (*sorted(HERE.glob("*.md")), HERE / "verdict.py", *([HERE / "computed.py"] if computed else []))
    below = version_of_folders(*FOLDERS) if computed else ""
    return version_of(*(file.read_text("utf-8") for file in files), below)
