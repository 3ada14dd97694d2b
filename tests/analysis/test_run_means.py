"""A mean comes with its n, and what is unscored enters none."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from core.analysis.run_means import by_column, conversation_scores, mean_score, summarise, turn_scores
from core.store.export_records import SCORE_COLUMNS


def frame_of(*scores: tuple[int, int, float | None]) -> pd.DataFrame:
    """A table of scores from (conversation, turn, overall), with a relevance of 1.0 beside each."""
    rows = [
        dict.fromkeys(SCORE_COLUMNS, "")
        | {"conversation": f"c{number}", "number": number, "repeat": 1, "turn": turn, "persona": f"p{number % 2}"}
        | {"judge": "turn", "criterion": criterion, "value": float("nan") if value is None else value}
        for number, turn, overall in scores
        for criterion, value in (("relevance", 1.0), ("overall", overall))
    ]
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS)).astype({"value": "float64"})


def ended(*statuses: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(number=number, status=status) for number, status in enumerate(statuses, 1)]


def test_a_run_is_the_mean_of_its_conversations_and_each_the_mean_of_its_turns() -> None:
    frame = frame_of((1, 1, 0.2), (1, 2, 0.4), (1, 3, 0.6), (2, 1, 1.0))
    summary = summarise(frame, ended("done", "done"))
    assert summary.score == pytest.approx((0.4 + 1.0) / 2)
    assert (summary.conversations, summary.scored_conversations, summary.turns) == (2, 2, 4)
    assert (summary.criteria["relevance"].mean, summary.criteria["overall"].n) == (1.0, 2)


def test_an_unscored_turn_is_counted_and_enters_no_mean() -> None:
    summary = summarise(frame_of((1, 1, 0.8), (1, 2, None)), ended("done"))
    assert (summary.score, summary.unscored, summary.turns) == (0.8, 1, 2)


def test_a_conversation_with_no_scored_turn_has_no_score() -> None:
    frame = frame_of((1, 1, None), (2, 1, 0.6))
    summary = summarise(frame, ended("done", "done"))
    assert (summary.score, summary.scored_conversations, summary.unscored) == (0.6, 1, 1)
    assert conversation_scores(frame, "overall", "turn")["score"].isna().tolist() == [True, False]


def test_a_run_with_nothing_scored_has_no_score_rather_than_zero() -> None:
    assert summarise(frame_of((1, 1, None)), ended("done")).score is None
    empty = summarise(frame_of(), ended("failed", "stopped", "waiting"))
    assert (empty.score, empty.conversations, empty.failed, empty.stopped) == (None, 3, 1, 1)
    assert mean_score(frame_of(), "overall", "turn") is None


def test_turns_of_incomplete_conversations_count_and_are_reported() -> None:
    frame = frame_of((1, 1, 1.0), (2, 1, 0.2), (2, 2, None), (3, 1, 0.4), (3, 2, 0.6), (4, 1, None))
    summary = summarise(frame, ended("done", "failed", "stopped", "failed"))
    assert (summary.unfinished, summary.unfinished_turns) == (2, 3)
    assert summary.score == pytest.approx((1.0 + 0.2 + 0.5) / 3)
    assert summarise(frame, ended("done", "done", "running", "done")).unfinished_turns == 0


def test_another_judges_overall_is_not_mixed_in() -> None:
    frame = frame_of((1, 1, 0.2))
    other = frame.assign(judge="five_star", value=1.0)
    assert summarise(pd.concat([frame, other]), ended("done")).score == 0.2


def test_scores_can_be_grouped_by_persona() -> None:
    found = by_column(frame_of((1, 1, 0.2), (1, 2, None), (2, 1, 0.6), (3, 1, None)), "persona", "turn")
    assert [(one.name, one.mean, one.n, one.unscored) for one in found] == [("p1", 0.2, 1, 2), ("p0", 0.6, 1, 0)]
    assert turn_scores(frame_of((1, 1, 0.2)), "overall", "turn")["score"].tolist() == [0.2]
