"""Health of the simulated users: faults by severity, invalid conversations, stability over repeats."""

from __future__ import annotations

import statistics

import pandas as pd
import pytest

from core.analysis.self_agreement import stability
from core.analysis.simulator_health import (
    invalid_conversations,
    parse_label,
    score_without,
    simulator_health,
    strip_severity,
)
from core.base.types import Sample
from core.judges.base import JudgeOptions
from core.judges.simulated_user.simulated_user import scores
from core.store.store import Store
from tests.support.fake_judge_engine import Replying
from tests.support.stored_runs import a_run, a_score


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("severity", ["major", "minor"])
def test_severity_can_be_read_from_what_the_judge_stores(language: str, severity: str) -> None:
    reply = {"reasons": "前と同じ発言", "tag": "repeats", "severity": severity}
    sample = Sample(question="もう一度言います", answer="")
    (score,) = scores(Replying(reply), sample, JudgeOptions.model_validate({"language": language}))
    assert parse_label(score.label, score.reasons) == ("repeats", severity)
    assert strip_severity(score.reasons) == "前と同じ発言"


def test_without_a_severity_the_usual_one_of_the_tag_holds() -> None:
    assert parse_label("invalid:repeats", "x") == ("repeats", "minor")
    assert parse_label("invalid:invented_fact", "x") == ("invented_fact", "major")
    assert parse_label("invalid:nobody_knows", "x") == ("other", "major")
    assert parse_label("ok", "【重大】x") is None and parse_label("", "") is None


def checked(store: Store, faults: dict[int, tuple[str, str]]) -> pd.DataFrame:
    """A run of four conversations, their user turns checked, those with a fault by number."""
    a_run(store, "r")
    for number in range(1, 5):
        label, reasons = faults.get(number, ("ok", "問題なし"))
        one = a_score(float(label == "ok"), "simulated_user", "simulated_user")
        (turn,) = store.conversations.turns(f"r-{number}")
        store.scores.add(turn.id, [one.model_copy(update={"label": label, "reasons": reasons})])
    return store.records.score_frame("r")


def test_major_faults_spoil_a_conversation_and_minor_ones_only_flag_it(store: Store) -> None:
    frame = checked(store, {1: ("invalid:invented_fact", "【重大】a"), 2: ("invalid:repeats", "【軽微】b")})
    found = simulator_health(frame, store.scores.user_faults("r"))
    assert simulator_health(frame, frame) == found and invalid_conversations(store.scores.user_faults("r")) == {"r-1"}
    assert (found.turns, found.checked, found.conversations) == (4, 4, 4)
    assert (found.invalid, found.minor) == ({"r-1"}, {"r-2"}) and invalid_conversations(frame) == {"r-1"}
    assert found.counts() == [("invented_fact", "major", 1), ("repeats", "minor", 1)]
    assert [(one.number, one.turn, one.severity) for one in found.flagged] == [(1, 1, "major"), (2, 1, "minor")]


def test_scores_are_given_with_and_without_invalid_conversations(store: Store) -> None:
    frame = checked(store, {1: ("invalid:revealed", "【重大】a")})
    (turn,) = store.conversations.turns("r-1")
    store.scores.add(turn.id, [a_score(0.2)])
    both = score_without(store.records.score_frame("r"), invalid_conversations(frame), "turn")
    assert [(one.mean, one.n) for one in both if one] == [
        (pytest.approx((0.2 + 3 * 0.8) / 4), 4),
        (pytest.approx(0.8), 3),
    ]


def test_what_could_not_be_checked_is_counted_and_spoils_nothing(store: Store) -> None:
    a_run(store, "r")
    (turn,) = store.conversations.turns("r-1")
    failed = a_score(0, "simulated_user", "simulated_user").model_copy(update={"value": None, "error": "倒れた"})
    store.scores.add(turn.id, [failed])
    found = simulator_health(store.records.score_frame("r"), store.scores.user_faults("r"))
    assert (found.turns, found.checked, found.invalid) == (4, 0, frozenset())  # three were never judged


def test_a_run_whose_users_were_not_checked_has_no_health(store: Store) -> None:
    a_run(store, "r")
    assert (
        simulator_health(store.records.score_frame("r"), store.scores.user_faults("r")).turns == 0
        and invalid_conversations(store.records.score_frame("r")) == frozenset()
    )


def test_stability_is_the_deviation_within_a_scenario_and_persona() -> None:
    values = {("q1", "calm"): [0.8, 0.4], ("q2", "calm"): [0.6, 0.6, 0.9], ("q3", "calm"): [0.1]}
    rows = [
        {"conversation": f"{q}{n}", "number": n, "turn": 1, "scenario": q, "question": q, "kind": "faq", "persona": p,
         "persona_name": p, "repeat": n, "decision": "search", "answered": True, "judge": "turn", "criterion": "overall", "value": v}
        for (q, p), scored in values.items() for n, v in enumerate(scored, 1)
    ]  # fmt: skip
    found = stability(pd.DataFrame(rows), "overall", "turn")
    spread = (statistics.variance([0.8, 0.4]) + 2 * statistics.variance([0.6, 0.6, 0.9])) / 3
    assert found is not None and (found.cases, found.conversations) == (2, 5)
    assert found.deviation == pytest.approx(spread**0.5)
    assert stability(pd.DataFrame(rows[-1:]), "overall", "turn") is None


def test_of_repeated_checks_the_majority_decides(store: Store) -> None:
    frame = checked(store, {1: ("invalid:invented_fact", "【重大】a"), 2: ("invalid:revealed", "【重大】b")})
    (turn,) = store.conversations.turns("r-1")
    for repeat in (2, 3):
        fine = a_score(1.0, "simulated_user", "simulated_user").model_copy(update={"label": "ok"})
        store.scores.add(turn.id, [fine], repeat=repeat)
    assert (
        invalid_conversations(store.scores.user_faults("r"))
        == {"r-2"}
        == invalid_conversations(store.records.score_frame("r"))
        and len(frame) == 8
    )


def test_scores_without_texts_are_enough_beside_the_faults(store: Store) -> None:
    frame = checked(store, {1: ("invalid:invented_fact", "【重大】a"), 2: ("invalid:repeats", "【軽微】b")})
    bare = frame.drop(columns=["label", "reasons", "error"]).astype({"conversation": "category"})
    assert simulator_health(bare, store.scores.user_faults("r")).invalid == {"r-1"}
