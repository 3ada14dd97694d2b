"""The keypoints judge (RAGEval, 2024): completeness, hallucination and irrelevance of an answer, by its keypoints."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from core.base.fence import fence_text
from core.base.prompt import Engine, NeedsModel
from core.base.types import CheckedClaim, Language, Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.judge_prompt import JudgePrompt, shown_example
from core.judges.keypoints.matching import (
    REASONS,
    Coverage,
    KeypointsVerdict,
    KeypointVerdict,
    look_up_keypoint,
    plain,
    read_answer,
)
from core.judges.version import version_of_sources
from core.text.language import share_no_script

NAME = "keypoints"
STATE_OF_CRITERION: dict[str, Coverage] = {
    "completeness": "covered",
    "hallucination": "contradicted",
    "irrelevance": "neither",
}
CRITERIA = tuple(STATE_OF_CRITERION)
_SHARE = re.compile(r"\d+/\d+")


class JudgeKeypoints(JudgePrompt[KeypointsVerdict]):
    """Which keypoints does the answer cover, which does it contradict? `listed` are the keypoints, fenced, from 1."""

    file = "keypoints"
    required = ("shown.answer", "listed")
    listed: tuple[str, ...]

    def without_model(self) -> KeypointsVerdict:
        """Each keypoint checked against the answer; raises NeedsModel if the two are in different languages."""
        sample, points = self.sample, points_of(self.sample)
        if share_no_script(sample.answer, " ".join(points)):
            raise NeedsModel("the answer and its keypoints are in different languages")
        answer = read_answer(sample.answer, sample.question, points)
        found = (
            look_up_keypoint(number, one, sample.question, answer, self.language)
            for number, one in enumerate(points, 1)
        )
        return KeypointsVerdict(verdicts=tuple(found))


def points_of(sample: Sample) -> tuple[str, ...]:
    """The keypoints without numbers and bullets, and without empty ones."""
    return tuple(text for text in map(plain, sample.keypoints) if text)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Shares (0 to 1) of the keypoints that are covered, contradicted and neither; label "2/3".

    Unscored if the reply does not give each keypoint exactly one verdict.
    """
    points = points_of(sample)
    prompt = JudgeKeypoints(
        sample=sample,
        listed=_listed(sample),
        examples=_examples(options),
        language=options.language,
    )
    verdict = engine.ask(prompt)
    wrong = _wrong(verdict, len(points))
    if wrong:
        return JUDGE.unscored(REASONS("missing", options.language, ids=", ".join(map(str, wrong))))
    asked = tuple(one for one in verdict.verdicts if 1 <= one.id <= len(points))
    found = [_score(name, asked, options.language) for name in CRITERIA]
    checked = tuple(CheckedClaim(claim=points[one.id - 1], state=one.verdict, evidence=one.reasons) for one in asked)
    return (found[0].model_copy(update={"reasoning": Reasoning(claims=checked)}), *found[1:])


def _examples(options: JudgeOptions) -> tuple[dict[str, Any], ...]:
    """The judge's examples; one whose label is not a share of keypoints ("2/3") is left out."""
    found = (one for one in options.examples.get(NAME, ()) if _SHARE.fullmatch(one.label))
    return tuple({**shown_example(one), "listed": _listed(one.sample)} for one in found)


def _listed(sample: Sample) -> tuple[str, ...]:
    return tuple(map(fence_text, points_of(sample)))


def _wrong(verdict: KeypointsVerdict, count: int) -> list[int]:
    """The keypoints (from 1) with no verdict or several; verdicts on unknown keypoints are ignored."""
    counts = Counter(one.id for one in verdict.verdicts)
    return [number for number in range(1, count + 1) if counts[number] != 1]


def _score(criterion: str, verdicts: tuple[KeypointVerdict, ...], language: Language) -> Score:
    counted = [one for one in verdicts if one.verdict == STATE_OF_CRITERION[criterion]]
    lines = (
        REASONS("line", language, id=one.id, state=REASONS(f"state_{one.verdict}", language), reasons=one.reasons)
        for one in counted
    )
    return Score(
        judge=NAME,
        criterion=criterion,
        value=len(counted) / len(verdicts),
        label=f"{len(counted)}/{len(verdicts)}",
        reasons="\n".join(lines),
    )


JUDGE = Judge(
    NAME,
    CRITERIA,
    ("question", "answer", "keypoints"),
    version_of_sources("judges/keypoints", "judges/rules", "text"),
    scores,
    lower_is_better=frozenset({"hallucination", "irrelevance"}),
    prompts=(JudgeKeypoints,),
)
