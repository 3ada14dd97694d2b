"""The search keeps a truly better text, keeps no lucky one, and never chooses on the held-out half."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.__main__ import main
from core.base.bot_folder import load_bot
from core.base.errors import BadInput, ModelError, Stopped
from core.base.settings import Settings
from core.base.types import Bot
from core.llm.embedded import EmbeddedEngine
from core.llm.engine_choice import openai_engine
from core.llm.prices import Price, Prices
from core.optimization.labelled_rows import halve
from core.optimization.prompt_task import PromptTask, judge_task
from core.optimization.results import store_result, stored_results
from core.optimization.search import OptimizationResult, Search, SearchOptions, planned_scores, use
from core.optimization.variants import propose
from core.prompts.catalog import find_prompt
from core.store.store import Store
from tests.support.model_server import ModelServer, choose_server, engine_on, serving
from tests.support.prompt_dependent_server import HINT, ROWS, PromptDependentServer

OPTIONS = SearchOptions(rules=3, examples=2)


@pytest.fixture
def hinted() -> Iterator[PromptDependentServer]:
    with serving(PromptDependentServer()) as server:
        yield server  # type: ignore[misc]


def task_of(bot: Bot, rows: list = ROWS) -> PromptTask:
    return judge_task(bot, "judges/relevance", "en", "", rows)


def search(server: PromptDependentServer, store: Store, bot: Bot, rows: list = ROWS) -> OptimizationResult:
    return Search(engine_on(server, store), bot, task_of(bot, rows), OPTIONS).run()


def test_a_truly_better_text_is_found_kept_and_used(hinted: PromptDependentServer, store: Store, home: Path) -> None:
    bot = load_bot("komachi")
    found = search(hinted, store, bot)
    assert found.verdict == "better" and found.origin == "rules 1" and HINT in found.best_text
    assert found.held_out and found.held_out.best == 1.0 and found.low and found.low > 0
    assert found.difference == pytest.approx(found.held_out.best - (found.held_out.present or 0))
    use(bot, found)
    assert load_bot("komachi").prompts == {"judges/relevance.en": found.best_text}
    name = store_result(found)
    assert [(one.name, one.result) for one in stored_results("komachi")] == [(name, found)]


def test_a_lucky_text_is_not_kept(store: Store, bot: Bot) -> None:
    with serving(PromptDependentServer(noisy=True)) as server:
        engine = engine_on(server, store)
        found = [
            Search(engine, bot, task_of(bot), OPTIONS.model_copy(update={"seed": seed})).run() for seed in range(4)
        ]
    assert "better" not in {one.verdict for one in found}
    lucky = [one for one in found if one.verdict == "not_surely_better"]
    assert lucky and all((one.development.best or 0) > (one.development.present or 0) for one in lucky)
    assert all(one.low is not None and one.low <= 0 for one in lucky)


def test_the_held_out_half_is_seen_last_and_changes_no_choice(
    hinted: PromptDependentServer, store: Store, bot: Bot
) -> None:
    halves = halve(ROWS, OPTIONS.seed)
    held_out = {row.id for row in halves.held_out}
    found = search(hinted, store, bot)
    rows = [row for _, row in hinted.asked_rows()]
    first = next(place for place, row in enumerate(rows) if row in held_out)
    assert {*rows[:first]} == {row.id for row in halves.development} and {*rows[first:]} == held_out
    assert len(rows[first:]) == 2 * len(held_out)  # the present text and the best one, nothing else
    before = str(hinted.requests[: len(hinted.requests) - len(rows[first:])])
    assert not [name for name in held_out if f"row-{name[1:]}" in before]  # not in proposals and examples either

    other_labels = [
        row.model_copy(update={"label": "Yes" if row.label == "No" else "No"}) if row.id in held_out else row
        for row in ROWS
    ]
    scores = Search(engine_on(hinted, store), bot, task_of(bot, other_labels), OPTIONS)
    scores.halves = lambda: halves._replace(held_out=tuple(row for row in other_labels if row.id in held_out))  # type: ignore[method-assign]
    second = scores.run()
    assert second.best_text == found.best_text and second.verdict != "better"


def test_a_stopped_search_goes_on_and_asks_nothing_twice(hinted: PromptDependentServer, store: Store, bot: Bot) -> None:
    engine, seen = engine_on(hinted, store), []
    with pytest.raises(Stopped):
        Search(engine, bot, task_of(bot), OPTIONS, seen.append, lambda: len(seen) >= 20).run()
    found = Search(engine_on(hinted, store), bot, task_of(bot), OPTIONS).run()
    asked = hinted.asked_rows()
    sent = [str(one["messages"]) for one in hinted.requests if "## Answer" in str(one["messages"])]
    assert found.verdict == "better" and len(sent) == len({*sent}) == len(asked)
    before = len(hinted.requests)
    assert search(hinted, store, bot).model_copy(update={"spent": found.spent}) == found
    assert len(hinted.requests) == before


def test_the_estimate_covers_what_the_search_asks(hinted: PromptDependentServer, store: Store, bot: Bot) -> None:
    expected = Search(engine_on(hinted, store), bot, task_of(bot), OPTIONS).estimate()
    found = search(hinted, store, bot)
    verdicts = len(hinted.asked_rows())
    assert expected.rows == found.rows == len(ROWS) and expected.paid.calls >= 3
    assert verdicts <= planned_scores(halve(ROWS, 0), OPTIONS) <= 2 * verdicts
    assert expected.calls.calls >= verdicts


def test_what_finds_out_a_servers_features_is_not_scaled_up(
    hinted: PromptDependentServer, store: Store, bot: Bot
) -> None:
    first = Search(engine_on(hinted, store), bot, task_of(bot), OPTIONS).estimate()
    second = Search(engine_on(hinted, store), bot, task_of(bot), OPTIONS).estimate()
    assert first.calls.calls == second.calls.calls == planned_scores(halve(ROWS, 0), OPTIONS) + OPTIONS.rules


def test_a_text_is_not_scored_on_the_rows_that_stand_in_it(
    hinted: PromptDependentServer, store: Store, bot: Bot
) -> None:
    found = search(hinted, store, bot)
    with_rows = [one for one in found.tried if one.origin.startswith("examples")]
    present = next(one for one in found.tried if one.origin == "present")
    assert with_rows and all(one.rows < present.rows or one.rows <= 6 for one in with_rows)
    for body in hinted.requests:
        rules, asked = str(body["messages"][0]["content"]), str(body["messages"][-1]["content"])
        if "## Answer" in asked:
            assert f"row-{asked.rpartition('row-')[2][:2]}" not in rules


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rules: rules.replace('{% include "judge_data.en.md" %}', "Be careful with the data."),
        lambda rules: f"{rules}\n\n=== user ===\nWhat do you say?",
    ],
)
def test_a_proposal_that_drops_what_guards_the_data_is_not_tried(spoil: Callable[[str], str], store: Store) -> None:
    present = find_prompt("judges/relevance").default("en")
    rules = present.partition("=== user ===")[0]
    assert spoil(rules) != rules
    for text, usable in ((f"```\n{rules}\nBe strict.\n```", True), (f"{spoil(rules)}\nBe strict.", False)):
        with serving(ModelServer()) as server:
            server.script = [json.dumps({"thought": "t", "rules": text})]
            found = list(propose(engine_on(server, store), present, "judges/relevance.en", (), (), 1))
        assert bool(found) == usable and not any("```" in one.text for one in found)


def test_the_embedded_engine_and_too_few_rows_are_told_in_one_sentence(bot: Bot, store: Store) -> None:
    with pytest.raises(BadInput, match="reads no prompts"):
        Search(EmbeddedEngine(), bot, task_of(bot)).run()
    with serving(PromptDependentServer()) as server, pytest.raises(BadInput, match="3 labelled rows; 12 are needed"):
        search(server, store, bot, ROWS[:3])  # type: ignore[arg-type]


def test_the_command_prints_the_result_and_stores_the_text(
    hinted: PromptDependentServer, home: Path, fresh_settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choose_server(hinted, fresh_settings)
    labels = home / "labels.jsonl"
    rows = [
        {"id": row.id, "question": row.sample.question, "answer": row.sample.answer, "label": row.label} for row in ROWS
    ]
    labels.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    command = ["optimize", "judges/relevance", "--bot", "komachi", "--language", "en", "--labels", str(labels)]
    assert main([*command, "--estimate"]) == 0 and "32 labelled rows" in capsys.readouterr().out
    assert main([*command, "--use", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "better"
    assert HINT in load_bot("komachi").prompts["judges/relevance.en"]
    assert main([*command, "--engine", "embedded"]) == 2 and "reads no prompts" in capsys.readouterr().err


def test_a_server_that_is_gone_and_a_spent_budget_end_the_search(
    hinted: PromptDependentServer, store: Store, bot: Bot
) -> None:
    prices = Prices(models=(Price(pattern="tiny", input=1e6, output=1e6),))
    settings = Settings(openai_api_key=hinted.key, openai_base_url=hinted.url, model="tiny")
    options = OPTIONS.model_copy(update={"budget": 1.0})
    with pytest.raises(ModelError, match="used up"):
        Search(openai_engine(settings, store.calls, prices), bot, task_of(bot), options).run()
    hinted.key = "sk-another"
    with pytest.raises(ModelError):
        Search(openai_engine(settings, store.calls), bot, task_of(bot), OPTIONS.model_copy(update={"seed": 9})).run()
