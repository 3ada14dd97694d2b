"""A clarifying question is no wrong answer: judges that hold replies against the right answer leave it unscored."""

from __future__ import annotations

import pytest

from core.base.types import Sample
from core.judges.base import Judge, JudgeOptions, judge_one
from core.judges.registry import judges_of
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store

ASKS = {"question": "期限は?", "answer": "どの届の期限でしょうか。", "contexts": ("届の期限は10日です。",)}
EXPECTED = {"reference": ("10日です。",), "keypoints": ("10日",), "evidence": ("届の期限は10日です。",)}
NAMES = ("correctness", "qa", "context_qa", "cot_qa", "keypoints", "sufficiency", "retrieval", "string_distance")


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_of_answers_leaves_a_clarifying_question_unscored_and_says_why(name: str) -> None:
    asking = Sample.model_validate({**ASKS, **EXPECTED, "asked_back": True})
    scores = judge_one(EmbeddedEngine(), judges_of((name,))[0], asking, JudgeOptions())
    assert scores and all(score.value is None and "聞き返し" in score.error and name in score.error for score in scores)
    english = judge_one(EmbeddedEngine(), judges_of((name,))[0], asking, JudgeOptions(language="en"))
    assert all("clarifying question" in score.error for score in english)


@pytest.mark.parametrize("asked_back", [False, None])
def test_an_answer_is_scored_if_it_is_unknown_whether_it_asks(asked_back: bool | None) -> None:
    sample = Sample.model_validate({**ASKS, **EXPECTED, "answer": "10日です。", "asked_back": asked_back})
    assert [
        score.value for score in judge_one(EmbeddedEngine(), judges_of(("correctness",))[0], sample, JudgeOptions())
    ] == [1]


@pytest.mark.parametrize("name", ["turn", "groundedness", "relevance", "simulated_user"])
def test_judges_of_any_reply_still_score_it(name: str) -> None:
    asking = Sample.model_validate(
        {**ASKS, **EXPECTED, "asked_back": True, "needs_asking": True, "intent": "退職届の期限"}
    )
    assert not any(
        "聞き返しにはまだ" in score.error
        for score in judge_one(EmbeddedEngine(), judges_of((name,))[0], asking, JudgeOptions())
    )


def test_a_judge_of_your_own_sees_every_reply() -> None:
    mine = Judge("custom:mine", ("mine",), ("answer", "reference"), "v1", lambda *_: ())
    assert not mine.skips_clarifying_questions


@pytest.mark.slow
def test_a_run_leaves_clarifying_questions_out_of_the_mean_of_answers(store: Store) -> None:
    """Every conversation whose bot asked first and then answered counts by its answer alone."""
    runner = Runner(store, Indexes(), EmbeddedEngine())
    run = runner.start(
        Plan(bot="minato", judges=("turn", "correctness"), scenarios=("minato-026", "minato-030"), seed=1)
    )
    assert runner.wait(run, 120)
    runner.close()
    rows = [
        row for conversation in store.conversations.of_run(run) for row in store.conversations.turns(conversation.id)
    ]
    by_decision = {row.decision: [score for score in row.scores if score.judge == "correctness"] for row in rows}
    assert by_decision["ask"] and all(score.value is None and score.error for score in by_decision["ask"])
    assert by_decision["search"] and all(score.value is not None for score in by_decision["search"])
