"""Every call is kept, none is made twice, and none is made beyond the budget."""

from __future__ import annotations

import json
import sys
import threading
from collections import deque
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.budget import Budget
from core.base.call_context import Tally, in_context
from core.base.calls import Call, Spending
from core.base.errors import BadInput, BudgetReached, NoValidReply
from core.llm.completions import Completion
from core.llm.openai_engine import OpenAIEngine
from core.llm.prices import Price, Prices, price_file, read_prices, save_prices
from core.store.store import Store
from tests.support.example_prompts import ANSWER, JUDGE, NEXT, REWRITE
from tests.support.model_replies import USAGE
from tests.support.model_server import ModelServer, engine_on

PRICES = Prices(models=(Price(pattern="tiny*", input=1, cached=0.5, output=10), Price(pattern="*", input=9, output=9)))


def test_a_call_is_kept_with_all_that_belongs_to_it(server: ModelServer, store: Store) -> None:
    with in_context(run_id="r1", conversation_id="r1-1", repeat=2):
        engine_on(server, store).ask(JUDGE)
    call = store.calls.newest()[0]
    assert (call.run_id, call.conversation_id, call.repeat) == ("r1", "r1-1", 2)
    assert (call.purpose, call.role, call.model, call.server) == ("JudgeTurn", "judge", "tiny", server.url)
    assert (call.prompt_tokens, call.cached_tokens, call.completion_tokens) == (100, 40, 10)
    assert call.cost is None and call.seconds > 0 and call.retries == 0 and call.output_mode == "schema"
    assert json.loads(call.request) == server.requests[-1]
    assert "資料1と合っている" in call.reply and store.calls.get(call.id) == call
    spent = store.calls.spending("r1")
    assert (spent.calls, spent.tokens, spent.unpriced) == (5, 5 * 110, 5)  # four calls found out what the server can do
    assert store.calls.spending_by("purpose", "r1")["JudgeTurn"].calls == 1 and store.calls.spending("r2") == Spending()
    assert store.calls.newest(conversation_id="r1-1", role="judge", limit=1, before=call.id)[0].purpose == "Probe"


def test_the_same_question_is_asked_once(server: ModelServer, store: Store) -> None:
    first = engine_on(server, store).ask(JUDGE)
    before, tally = len(server.requests), Tally()
    with in_context(tally=tally):
        assert engine_on(server, store).ask(JUDGE) == first
    assert len(server.requests) == before
    assert (tally.saved["judge"].calls, tally.fresh) == (1, {})


@pytest.mark.parametrize(
    "change",
    [{"judge_model": "other"}, {"judge_temperature": 0.5}, {"judge_effort": "low"}],
    ids=lambda c: next(iter(c)),
)
def test_another_model_or_setting_is_another_question(
    change: dict[str, str], server: ModelServer, store: Store
) -> None:
    engine_on(server, store).ask(JUDGE)
    before = store.calls.spending().calls
    engine_on(server, store, **change).ask(JUDGE)
    assert store.calls.spending().calls > before


def test_another_repeat_prompt_or_language_is_another_question(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    for repeat in (1, 2, 1, 2):
        with in_context(repeat=repeat):
            engine.ask(JUDGE)
    engine.ask(JUDGE.model_copy(update={"guidelines": "x"}))
    engine.ask(JUDGE.model_copy(update={"language": "en"}))
    assert store.calls.spending_by("purpose")["JudgeTurn"].calls == 4


def test_the_cache_can_be_left_out(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    for cache in (True, False, False):
        with in_context(cache=cache):
            engine.ask(JUDGE)
    engine_on(server, store, cache=False).ask(JUDGE)
    assert store.calls.spending_by("purpose")["JudgeTurn"].calls == 4


def test_an_error_is_never_found_in_the_cache(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.script = ["no verdict"] * 4
    with pytest.raises(NoValidReply):
        engine.ask(JUDGE)
    assert engine.ask(JUDGE) and not server.script
    before = len(server.requests)
    assert engine.ask(JUDGE) and len(server.requests) == before


@pytest.mark.parametrize(
    "text", ['{"' * 50_000, '{"a":' * 50_000, '{"steps": [' * 20_000 + "]}" * 20_000, "[" * 100_000]
)
def test_a_reply_that_nobody_can_read_is_kept_and_given_up(text: str, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.script = [text] * 4
    with pytest.raises(NoValidReply) as error:
        engine.ask(JUDGE)
    assert error.value.raw == text
    calls = store.calls.newest(role="judge", failed=True)
    assert len(calls) == 4 and all(text[:100] in json.loads(call.reply)["message"]["content"] for call in calls)


def test_whatever_the_reader_stumbles_over_is_kept_and_given_up(server: ModelServer, store: Store) -> None:
    engine, depth = engine_on(server, store), int(0.7 * sys.getrecursionlimit())
    engine.ask(NEXT)
    server.script = ['{"understanding": ' + "[" * depth + "]" * depth + "}"] * 4
    with pytest.raises(NoValidReply, match="cannot be read"):
        engine.ask(JUDGE)
    assert len(store.calls.newest(role="judge", failed=True)) == 4


def test_what_was_kept_by_looser_rules_is_asked_for_anew(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    verdict = engine.ask(JUDGE)
    call = store.calls.newest()[0]
    store.calls.add(call.model_copy(update={"id": 0, "reply": Completion({"content": "5 of 5"}).dump()}))
    assert engine.ask(JUDGE) == verdict and store.calls.spending_by("purpose")["JudgeTurn"].calls == 3


def test_the_same_question_at_the_same_time_is_asked_once(server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store)
    engine.ask(NEXT)
    server.delay = 0.1
    threads = [threading.Thread(target=engine.ask, args=(JUDGE,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert store.calls.spending_by("purpose")["JudgeTurn"].calls == 1


def test_old_calls_can_be_forgotten(server: ModelServer, store: Store) -> None:
    engine_on(server, store).ask(JUDGE)
    new = store.calls.newest()[0]
    store.calls.add(new.model_copy(update={"created_at": datetime.now(UTC) - timedelta(days=40)}))
    assert store.calls.delete_older(30) == 1 and store.calls.spending().calls == 5


# Money


def test_tokens_cost_what_the_first_price_that_fits_says() -> None:
    assert PRICES.cost("Tiny-2", 1_000_000, 400_000, 100_000) == pytest.approx(0.6 + 0.2 + 1.0)
    assert PRICES.cost("other", 1_000_000, 400_000, 0) == 9
    assert PRICES.cost("tiny", None, None, None) is None and Prices().cost("tiny", 1, 0, 1) is None


@pytest.mark.usefixtures("home")
def test_the_price_table_is_the_owners() -> None:
    assert read_prices() == Prices()
    save_prices(PRICES)
    assert read_prices() == PRICES
    price_file().write_text('[[models]]\npattern = "x"\ninput = -1\noutput = 1\n')
    with pytest.raises(BadInput, match=r"prices.toml cannot be read \(“models #1, input” must be at least 0; it is -1"):
        read_prices()


def test_a_budget_of_calls_is_kept_to_the_call(server: ModelServer, store: Store) -> None:
    engine, budget = engine_on(server, store), Budget(calls=6)
    with in_context(budget=budget):
        for seed in (1, 2):  # after the four calls that found out what the server can do
            engine.ask(NEXT.model_copy(update={"seed": seed}))
        with pytest.raises(BudgetReached, match="6 calls is used up"):
            engine.ask(NEXT.model_copy(update={"seed": 3}))
    assert len(server.requests) == 6 and store.calls.spending().calls == 6


def test_a_budget_of_money_is_not_passed_by_many_threads(store: Store) -> None:
    budget, spent = Budget(money=1.0), []

    def spend() -> None:
        while True:
            try:
                with budget.call() as costs:
                    costs.append(0.07)
                    spent.append(0.07)
            except BudgetReached:
                return

    with budget.call() as costs:
        costs.append(0.07)
    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert 0.9 < budget.spent <= 1.0 and budget.spent == pytest.approx(sum(spent) + 0.07)


@pytest.mark.parametrize("streamed", [True, False])
def test_a_budget_of_money_holds_where_the_server_tells_no_tokens(
    streamed: bool, server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(USAGE, "completion_tokens")
    prices = Prices(models=(Price(pattern="tiny", input=100, output=1_000),))
    engine, budget = OpenAIEngine(engine_on(server, store).roles, store.calls, prices), Budget(money=1.0)
    engine.ask(REWRITE)
    before = len(server.requests)
    prompts = (ANSWER.model_copy(update={"question": str(number)}) for number in range(1_000))
    with in_context(budget=budget), pytest.raises(BudgetReached):
        deque((tuple(engine.stream(prompt)) if streamed else engine.ask(prompt) for prompt in prompts), 0)
    assert 2 < len(server.requests) - before < 100 and 0.5 < budget.spent <= 1.0
    assert (
        store.calls.spending().cost == 0 and store.calls.newest()[0].cost is None
    )  # the estimate is for the budget only


def test_spending_adds_up() -> None:
    one = Spending(calls=1, prompt_tokens=10, cost=0.5, seconds=2)
    assert one.plus(one).times(1.5) == Spending(calls=3, prompt_tokens=30, cost=1.5, seconds=6)


def test_a_call_is_found_by_a_store_opened_again(server: ModelServer, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'kiku.db'}"
    first = Store(url)
    engine_on(server, first).ask(JUDGE)
    first.close()
    before = len(server.requests)
    engine_on(server, Store(url)).ask(JUDGE)
    assert len(server.requests) == before and isinstance(Store(url).calls.newest()[0], Call)
