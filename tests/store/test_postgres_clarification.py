"""What the pages of clarifying questions and health read, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.analysis.simulator_health import invalid_conversations
from core.analysis.stability import self_agreement
from core.store.store import Store
from tests.support.stored_runs import a_run, a_score


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    """A store on PostgreSQL."""
    store = Store(postgres_url)
    yield store
    store.close()


def test_assessments_repeats_faults_and_pauses_are_read_from_postgresql(store: Store) -> None:
    a_run(store, "r", ending="stopped", left=1)
    found = store.tables.clarification("r")
    assert len(found) == 3 and found["assessment"].iloc[0]["clarity"] == 1 and found["choices"].iloc[0] == ()
    (turn,) = store.conversations.turns("r-1")
    store.scores.add(turn.id, [a_score(0.6)], repeat=2)
    assert store.records.score_frame("r")["value"].iloc[0] == pytest.approx(0.7)
    assert store.scores.run_means("komachi")["r"] == pytest.approx((0.7 + 2 * 0.8) / 3)
    shown_text = self_agreement(store.scores.repeated("r"), "turn", "v1")
    assert shown_text is not None and shown_text.turns == 1
    bad = a_score(0, "simulated_user", "simulated_user").model_copy(
        update={"label": "invalid:empty", "reasons": "【重大】"}
    )
    store.scores.add(turn.id, [bad])
    assert invalid_conversations(store.scores.user_faults("r")) == {"r-1"}
    assert store.leases.take_over("r", "me", store.runs.get("r").plan)
