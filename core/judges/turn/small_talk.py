"""Scores for a reply to small talk, or to a message that asks nothing of the documents."""

from __future__ import annotations

from core.base.types import Language, Sample
from core.judges.rules.answer_measures import Measures
from core.judges.turn.rating import rating_by_sections, score_of_rating
from core.judges.turn.reply_features import cites
from core.judges.turn.tone import answered_small_talk
from core.judges.turn.verdict import (
    GOOD_SCORE,
    CriterionScore,
    TurnVerdict,
    capped_by_coherence,
    coherence_of,
    new_score,
    verdict_of,
)


def is_small_talk_reply(sample: Sample, measures: Measures) -> bool:
    """Whether the reply answers small talk as it should, or neither cites nor declines where the bot found that the
    message asks nothing of its documents."""
    if answered_small_talk(sample, measures):
        return True
    asks_nothing = sample.asks_nothing and not sample.intent
    return asks_nothing and bool(measures.sentences) and not (cites(sample) or measures.only_refuses)


def judge_small_talk(sample: Sample, measures: Measures, language: Language) -> TurnVerdict:
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
