"""An answer in the words of the question is an answer; the question over again is none."""

from __future__ import annotations

import pytest

from core.base.types import Sample, Score
from core.judges.base import JudgeOptions, judge_all
from core.judges.registry import judges_of
from core.text.questions import repeats_question
from tests.support.turn_judge import ENGINE

LEAVE = ("社員が結婚した場合の慶弔休暇は何日ですか", "社員が結婚した場合の慶弔休暇は5日です。")
EXPORT = ("Can guests on the Free plan export a board to PDF?", "Guests on the Free plan can export a board to PDF.")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        LEAVE,
        EXPORT,
        ("有給休暇の申請は今月中にできますか", "有給休暇の申請は今月中にできません。"),
        ("Can I still restore a deleted board after a month?", "You cannot restore a deleted board after a month."),
        ("Is the discount for nonprofits 30 percent?", "The discount for nonprofits is 50 percent."),
        ("Who is the chief officer of the company?", "Bob is the chief officer of the company."),
    ],
)
def test_a_full_sentence_that_answers_does_not_repeat_the_question(question: str, answer: str) -> None:
    assert not repeats_question(answer, question)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (EXPORT[0], EXPORT[0]),
        (LEAVE[0], LEAVE[0] + "？"),
        ("How do I reset my password?", "How do I reset my password"),
        ("Can I export a board", "Can I export a board."),
    ],
)
def test_the_question_over_again_repeats_it(question: str, text: str) -> None:
    assert repeats_question(text, question)


@pytest.mark.parametrize(("question", "answer"), [LEAVE, EXPORT])
def test_a_right_answer_in_a_full_sentence_is_scored_as_one(question: str, answer: str) -> None:
    scores = _scores(question, answer)
    assert int(scores["overall"].label) >= 4
    assert scores["relevance:relevance"].label == "Yes"
    assert scores["grounded"].label == "Yes"
    assert scores["context_qa"].label == "CORRECT"
    assert scores["keypoints:completeness"].value == 1.0


@pytest.mark.parametrize("question", [LEAVE[0], EXPORT[0]])
def test_the_question_as_its_own_answer_is_not_good(question: str) -> None:
    scores = _scores(question, question)
    assert int(scores["overall"].label) <= 2
    assert scores["relevance:relevance"].label == "No"
    assert scores["grounded"].value is None


def _scores(question: str, answer: str) -> dict[str, Score]:
    """The scores by criterion; with a colon before it those of which two judges have one of that name."""
    right = dict((LEAVE, EXPORT))[question]
    sample = Sample(question=question, answer=answer, contexts=(right,), keypoints=(right,))
    judges = judges_of(("turn", "groundedness", "relevance", "context_qa", "keypoints"))
    scores = judge_all(ENGINE, judges, sample, JudgeOptions(language="en"))
    return {one.criterion: one for one in scores} | {f"{one.judge}:{one.criterion}": one for one in scores}
