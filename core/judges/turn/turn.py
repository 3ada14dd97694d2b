"""The turn judge: six criteria from 1 (bad) to 5 (good) for one turn of a bot.

On the embedded engine `judge_turn` measures the reply once (`core.judges.rules.answer_measures`) and picks the first
module that fits:

| the turn | module |
|---|---|
| asks a clarifying question | clarifying_questions.py |
| answers small talk, and there is no reference | this one |
| only refuses | refusals.py: by the reference, or by passages with headings or sections |
| claims nothing, has a reference, or its question is beyond the documents | answers.py |
| is any other answer | answers_without_reference.py |

Then tone.py lowers overall if sympathy or a contact is missing in distress or in a hurry. Each module builds the
verdict of verdict.py; the sentences are in reasons.toml. Without a reference, overall is the
expected rating (rating.py), by the words of the passages (reply_features.py) or the probabilities of the sections
found.
"""

from __future__ import annotations

from collections.abc import Callable

from core.base.prompt import Engine
from core.base.types import BEYOND_DOCUMENTS, NOT_APPLICABLE, Language, Reasoning, Sample, Score
from core.judges.base import Judge, JudgeOptions
from core.judges.judge_prompt import JudgePrompt
from core.judges.rules.answer_measures import Measures, measure
from core.judges.turn.answers import judge_answer, judge_answer_beyond_documents, judge_nothing_said
from core.judges.turn.answers_without_reference import judge_answer_without_reference
from core.judges.turn.clarifying_questions import is_clarifying_reply, judge_clarifying_question
from core.judges.turn.rating import knows_sections, rating_by_sections, score_of_rating
from core.judges.turn.refusals import judge_refusal, judge_refusal_without_reference
from core.judges.turn.reply_features import cites, has_headings
from core.judges.turn.tone import answered_small_talk, missing_tone
from core.judges.turn.verdict import (
    CRITERIA,
    GOOD_SCORE,
    REASONS,
    CriterionScore,
    TurnVerdict,
    capped_by_coherence,
    coherence_of,
    new_score,
    verdict_of,
    with_overall,
)
from core.judges.version import MEANING, version_of_sources

LABELS = ("1", "2", "3", "4", "5")  # of an example: its overall score


class JudgeTurn(JudgePrompt[TurnVerdict]):
    """How good is this turn? `guidelines` are the bot's own; `language` is that of the reasons."""

    file = "turn"
    required = ("shown.question", "shown.answer")
    guidelines: str

    def without_model(self) -> TurnVerdict:
        """Claims, figures and polarity of the answer compared with the passages, the reference and the question."""
        return judge_turn(self.sample, self.language)


def scores(engine: Engine, sample: Sample, options: JudgeOptions) -> tuple[Score, ...]:
    """Six scores in the order of CRITERIA: value = label / 5, None if the criterion does not apply."""
    verdict = engine.ask(JudgeTurn.about(sample, options, "turn", LABELS, guidelines=options.guidelines))
    reasoning = Reasoning(steps=verdict.steps, conclusion=verdict.conclusion)
    *five, overall = map(_score, CRITERIA, verdict.six)
    return (*five, overall.model_copy(update={"reasoning": reasoning}))


def judge_turn(sample: Sample, language: Language) -> TurnVerdict:
    """The scores without a model, by the kind of reply."""
    measures = measure(sample)
    verdict = _judge_of(sample, measures)(sample, measures, language)
    missing = missing_tone(sample.question, sample.answer)
    return with_overall(verdict, 3, REASONS(f"tone.{missing}", language)) if missing else verdict


def _judge_of(sample: Sample, measures: Measures) -> Callable[[Sample, Measures, Language], TurnVerdict]:
    """The function that judges this kind of reply."""
    has_reference = bool(sample.reference) or sample.kind in BEYOND_DOCUMENTS
    if is_clarifying_reply(sample, measures):
        return judge_clarifying_question
    if not has_reference and _answers_small_talk(sample, measures):
        return _judge_small_talk
    if measures.only_refuses:
        has_evidence = not (has_reference or sample.intent) and (has_headings(sample) or knows_sections(sample))
        return judge_refusal_without_reference if has_evidence else judge_refusal
    if not measures.main_claim:
        return judge_nothing_said
    if sample.kind in BEYOND_DOCUMENTS:
        return judge_answer_beyond_documents
    return judge_answer if has_reference else judge_answer_without_reference


def _answers_small_talk(sample: Sample, measures: Measures) -> bool:
    """Whether the reply answers small talk as it should, or neither cites nor declines where the bot found that the
    message asks nothing of its documents."""
    asks_nothing = sample.asks_nothing and not sample.intent and bool(measures.sentences)
    ignores_documents = asks_nothing and not (cites(sample) or measures.only_refuses)
    return ignores_documents or answered_small_talk(sample, measures) is not None


def _judge_small_talk(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
    """Scores for a reply to small talk; correctness is unscored, since there is nothing to check."""
    talk = answered_small_talk(sample, measures)
    rating = rating_by_sections("small_talk", sample, measures)
    score = (5 if talk else GOOD_SCORE) if rating is None else score_of_rating(rating)
    key = talk if talk and score >= GOOD_SCORE else "courtesy" if score >= GOOD_SCORE else "doubt"
    tone = new_score(score, f"small_talk.{key}", language)
    unknown = new_score(None, "small_talk.unchecked", language)
    coherence = coherence_of(sample, measures, language)
    overall = CriterionScore(reason=tone.reason, score=capped_by_coherence(score, coherence))
    return verdict_of((tone, tone, tone, unknown, coherence, overall))


def _score(criterion: str, score: CriterionScore) -> Score:
    value, label = (None, NOT_APPLICABLE) if score.score is None else (score.score / 5, str(score.score))
    return Score(judge="turn", criterion=criterion, value=value, label=label, reasons=score.reason)


JUDGE = Judge(
    "turn",
    CRITERIA,
    ("question",),
    version_of_sources("judges/turn", "judges/rules", "text", "text/distress", *MEANING),
    scores,
    prompts=(JudgeTurn,),
)
