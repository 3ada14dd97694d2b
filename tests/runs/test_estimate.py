"""What a run will cost: told from a few conversations, without what is known or was paid already."""

from __future__ import annotations

from functools import partial

import pytest

from core.base.budget import Budget
from core.base.call_context import in_context
from core.base.calls import Spending
from core.base.errors import BudgetReached, Stopped, error_key, stored_error
from core.base.types import Bot
from core.llm.openai_engine import OpenAIEngine
from core.llm.prices import Price, Prices
from core.retrieval.index_cache import Indexes
from core.runs.estimate import EstimateJob, RunEstimate, project_spending
from core.runs.plan import Plan
from core.store.rows import Progress
from core.store.store import Store
from tests.support.estimates import estimate
from tests.support.model_server import ModelServer, engine_on
from tests.support.whole_runs import carry_out

PLAN = Plan(bot="komachi", cross=True, repeats=4, max_turns=2, concurrency=8)
PROBING = 4  # small calls that find out what the server can do


@pytest.fixture
def engine(server: ModelServer, store: Store) -> OpenAIEngine:
    """An engine whose model has a price."""
    roles = engine_on(server, store).roles
    return OpenAIEngine(roles, store.calls, Prices(models=(Price(pattern="tiny", input=1, output=10),)))


@pytest.fixture
def estimated(engine: OpenAIEngine, small_indexes: Indexes, bot: Bot) -> partial[RunEstimate]:
    """`estimate` but for the plan."""
    return partial(estimate, engine=engine, indexes=small_indexes)


def test_what_the_probe_paid_is_not_charged_again(estimated: partial[RunEstimate], store: Store) -> None:
    found = estimated(PLAN)
    assert found.known == 0 and 0 < found.due.calls < found.total.calls and 0 < found.due.cost < found.total.cost
    assert found.paid.calls == store.calls.spending("probe").calls
    assert found.due.calls + found.paid.calls - PROBING == pytest.approx(found.total.calls, abs=4)


def test_finding_out_about_a_server_is_not_scaled_up(estimated: partial[RunEstimate], store: Store) -> None:
    first = estimated(PLAN)
    second = estimated(PLAN)
    assert second.total.calls == first.total.calls


def test_a_second_estimate_does_not_take_the_first_for_the_run(estimated: partial[RunEstimate]) -> None:
    first, second = estimated(PLAN), estimated(PLAN)
    assert second.known == 0 and second.paid.calls == 0
    assert second.due.calls == first.due.calls


def test_after_the_run_nothing_is_left_to_pay(
    estimated: partial[RunEstimate], store: Store, small_indexes: Indexes, bot: Bot, engine: OpenAIEngine
) -> None:
    carry_out(store, small_indexes, bot, engine, PLAN)
    found = estimated(PLAN)
    assert (found.known, found.paid.calls, found.due.calls, found.due.cost) == (1.0, 0, 0, 0.0)
    assert found.total.calls > 0


def test_a_run_that_is_known_in_part_is_charged_in_part(
    estimated: partial[RunEstimate], store: Store, small_indexes: Indexes, bot: Bot, engine: OpenAIEngine
) -> None:
    half = PLAN.model_copy(update={"repeats": 2})
    carry_out(store, small_indexes, bot, engine, half)
    found = estimated(PLAN)
    assert 0 < found.known < 1 and 0 < found.due.calls < found.total.calls


def test_turns_without_verdicts_are_not_known_as_a_whole(
    estimated: partial[RunEstimate], store: Store, small_indexes: Indexes, bot: Bot, engine: OpenAIEngine
) -> None:
    carry_out(store, small_indexes, bot, engine, PLAN.model_copy(update={"judges": ()}))
    found = estimated(PLAN)
    assert 0 < found.known < 1


def test_without_the_cache_everything_is_charged(estimated: partial[RunEstimate]) -> None:
    plan = PLAN.model_copy(update={"cache": False})
    estimated(plan)
    found = estimated(plan)
    assert found.known == 0 and found.due == found.total and found.paid.calls > 0


def test_a_job_says_what_is_spent_so_far(engine: OpenAIEngine, small_indexes: Indexes, bot: Bot) -> None:
    job = EstimateJob(PLAN, engine, small_indexes)
    assert job.preparing and job.spent.calls == 0
    job.start()
    assert job.wait(60) and job.result and not job.pending
    assert job.spent == job.result.paid and job.spent.calls > 0


def test_a_job_that_takes_too_long_is_stopped(
    engine: OpenAIEngine, small_indexes: Indexes, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.estimate.INDEX_SECONDS", 0.0)
    job = EstimateJob(PLAN, engine, small_indexes)
    job.check_time()
    assert not job.pending and job.timed_out
    job.start()
    assert job.wait(60) and job.result is None and job.error is None


def test_an_estimate_that_nobody_wants_calls_nobody(estimated: partial[RunEstimate], server: ModelServer) -> None:
    with in_context(stopped=lambda: True), pytest.raises(Stopped):
        estimated(PLAN)
    assert server.requests == []


def test_the_cost_of_a_run_is_scaled_by_the_conversations_that_are_over() -> None:
    counts = {"done": 3, "failed": 1, "stopped": 0, "running": 2, "turns": 9}
    times = {"seconds": 5.0, "per_second": 0.8, "eta_seconds": 20.0}
    now = Progress(status="running", total=20, **counts, **times)
    spent = Spending(calls=50, cost=1.0)
    assert project_spending(spent, now) == Spending(calls=200, cost=4.0)
    assert project_spending(spent, now.model_copy(update={"done": 0, "failed": 0})) is None


def test_a_budget_counts_whom_it_turned_away_and_is_known_by_its_reason() -> None:
    budget = Budget(calls=1)
    with budget.call():
        pass
    for _ in range(2):
        with pytest.raises(BudgetReached) as error, budget.call():
            pass
        assert error.value is budget.error and error_key(stored_error(error.value)) == "budget_reached"
    assert (budget.made, budget.refused) == (1, 2)
