"""Which stage lost the points: the table of causes, and which turns are low."""

from __future__ import annotations

from typing import Any

import pytest

from core.analysis.failures.causes import CAUSES, RULES, TurnFacts, diagnose
from core.analysis.failures.entries import is_failure, score_of

ANSWERED: dict[str, Any] = {"has_reference": True, "asked": False, "answered": True}
REFUSED: dict[str, Any] = {**ANSWERED, "answered": False}


@pytest.mark.parametrize(
    ("known", "cause", "why"),
    [
        ({**ANSWERED, "invalid": True, "passages_sufficient": False}, "simulator", "invalid"),
        ({"asked": True, "needs_asking": False}, "asked", "needless"),
        ({"asked": True, "needs_asking": True, "asked_before": True}, "asked", "asked_again"),
        ({"asked": True, "needs_asking": True}, "asked", "asked_poorly"),
        ({**ANSWERED, "needs_asking": True, "passages_sufficient": False}, "asked", "not_asked"),
        ({**ANSWERED, "needs_asking": True, "first": False, "passages_sufficient": False}, "not_found", "missed"),
        ({**ANSWERED, "kind": "out_of_scope"}, "not_supported", "out_of_scope"),
        ({**REFUSED, "kind": "out_of_scope"}, "unclear", "right_refusal"),
        (
            {**ANSWERED, "query_dropped_intent": True, "passages_sufficient": True, "correct": False},
            "rewrite",
            "query_lost_intent",
        ),
        ({**REFUSED, "passages_sufficient": True}, "refused", "answer_in_passages"),
        ({**REFUSED, "passages_sufficient": False}, "not_found", "missed"),
        ({**REFUSED, "passages_sufficient": False, "in_documents": False}, "not_found", "not_in_documents"),
        ({**REFUSED, "passages_sufficient": False, "user_words_find_it": True}, "rewrite", "user_words_find_it"),
        ({**REFUSED}, "unclear", "no_verdict"),
        ({**REFUSED, "empty": True, "passages_sufficient": True}, "not_used", "empty"),
        (
            {**REFUSED, "empty": True, "passages_sufficient": True, "grounded": False, "contradicts": True},
            "not_used",
            "empty",
        ),
        ({**REFUSED, "empty": True, "passages_sufficient": False, "grounded": False}, "not_found", "missed"),
        ({**REFUSED, "empty": True, "grounded": False}, "unclear", "no_verdict"),
        ({**REFUSED, "empty": True, "passages_known": False}, "unknown", "stages_unknown"),
        ({**REFUSED, "empty": True, "needs_asking": True, "passages_sufficient": True}, "not_used", "empty"),
        ({**REFUSED, "empty": True, "kind": "out_of_scope"}, "unclear", "empty_out_of_scope"),
        ({**ANSWERED, "passages_sufficient": False, "query_known": False}, "not_found", "query_unknown"),
        (
            {**ANSWERED, "passages_sufficient": False, "query_known": False, "in_documents": False},
            "not_found",
            "not_in_documents",
        ),
        ({**ANSWERED, "correct": True, "grounded": False}, "not_supported", "right_but_unsupported"),
        ({**ANSWERED, "correct": True, "passages_sufficient": False, "grounded": True}, "unclear", "right_but_low"),
        ({**ANSWERED, "correct": False, "passages_sufficient": False, "grounded": False}, "not_found", "missed"),
        ({**ANSWERED, "correct": False, "passages_sufficient": False, "grounded": True}, "not_found", "missed"),
        (
            {**ANSWERED, "correct": False, "passages_sufficient": True, "grounded": False},
            "not_supported",
            "unsupported_claims",
        ),
        ({**ANSWERED, "correct": False, "passages_sufficient": True, "grounded": True}, "not_used", "judged_wrong"),
        ({**ANSWERED, "correct": False, "passages_sufficient": True}, "not_used", "judged_wrong"),
        ({**ANSWERED, "passages_sufficient": True, "contradicts": True}, "not_supported", "contradicts"),
        (
            {
                **ANSWERED,
                "passages_sufficient": True,
                "contradicts": True,
                "grounded": True,
                "matches_reference": False,
            },
            "not_used",
            "lacks_reference",
        ),
        ({**ANSWERED, "passages_sufficient": True, "matches_reference": True}, "unclear", "no_verdict"),
        ({**ANSWERED, "correct": False}, "unclear", "no_verdict"),
        ({**ANSWERED, "has_reference": False}, "unclear", "no_reference"),
        ({**ANSWERED, "has_reference": False, "grounded": False}, "not_supported", "unsupported_claims"),
        ({"has_reference": True, "passages_known": False, "correct": False}, "unknown", "stages_unknown"),
    ],
)
def test_the_table_names_the_first_stage_that_broke(known: dict[str, Any], cause: str, why: str) -> None:
    named = diagnose(TurnFacts(**known))
    assert (named.cause, named.why) == (cause, why)


def test_every_cause_and_row_of_the_table_can_be_reached() -> None:
    assert {row.cause for row in RULES} == set(CAUSES)
    assert len({row.why for row in RULES}) == len(RULES)


def test_a_cause_seen_by_wording_names_the_judge_that_would_make_sure() -> None:
    by_words = diagnose(
        TurnFacts(**ANSWERED, passages_sufficient=False, by_words=frozenset({"passages_sufficient", "correct"}))
    )
    assert (by_words.by, by_words.deciding_judges) == ("words", ("sufficiency",))
    judged = diagnose(TurnFacts(**ANSWERED, passages_sufficient=False))
    assert (judged.by, judged.deciding_judges) == ("judges", ())


def test_an_unclear_cause_names_the_judges_that_would_decide() -> None:
    assert diagnose(TurnFacts(**ANSWERED)).deciding_judges == ("correctness", "sufficiency", "groundedness")
    assert diagnose(TurnFacts(**ANSWERED, correct=False, passages_sufficient=None)).deciding_judges == (
        "sufficiency",
        "groundedness",
    )
    assert diagnose(TurnFacts(asked=False, answered=True)).deciding_judges == (
        "groundedness",
    )  # no reference: nothing to compare with
    assert diagnose(TurnFacts(has_reference=True, passages_known=False)).deciding_judges == (
        "correctness",
    )  # no passages to look into
    assert diagnose(TurnFacts(**REFUSED, empty=True)).deciding_judges == (
        "sufficiency",
    )  # of an empty reply nothing else


def test_a_turn_is_a_failure_by_overall_score_or_wrong_answer() -> None:
    assert is_failure({"turn.overall": 0.6}) and not is_failure({"turn.overall": 0.8})
    assert is_failure({"turn.overall": 1.0, "correctness.correctness": 0.0})
    assert is_failure({"groundedness.grounded": 0.0}) and not is_failure({})
    right_beside = {"turn.overall": 0.8, "correctness.correctness": 1.0, "groundedness.grounded": 0.0}
    assert not is_failure(right_beside) and score_of(right_beside) == 0.8
    assert score_of({"turn.overall": 0.8, "correctness.correctness": 0.0}) == 0
    assert score_of({"groundedness.grounded": 0.0, "groundedness.support": 0.5, "turn.overall": 0.8}) == 0.5
    assert score_of({"sufficiency.sufficiency": 1.0}) is None
