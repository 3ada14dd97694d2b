"""The simulation page with a model: price and time before a run, what it costs while it goes on, and its limits."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.base.settings import settings
from core.base.types import Bot
from core.llm.prices import Price, Prices, save_prices
from core.store.store import open_store
from pages.components.services import Services, services
from pages.i18n.translate import words
from tests.support import page_app
from tests.support.model_server import ModelServer
from tests.support.page_app import healthy, text_of, wait_for_services

ROOT = Path(__file__).resolve().parents[2]
PRICES = Prices(currency="USD", models=(Price(pattern="tiny", input=1, output=10),))


@pytest.fixture
def model(folder: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """A model server that speaks in every session."""
    values = {"KIKU_ENGINE": "openai", "KIKU_MODEL": "tiny", "OPENAI_API_KEY": server.key}
    for name, value in {**values, "OPENAI_BASE_URL": server.url}.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    return server


def opened(language: str = "ja", **asked: str) -> AppTest:
    return page_app.opened("simulate/run", language, **asked)


def estimated(app: AppTest) -> AppTest:
    """Press the button, and wait until the figures are there."""
    app.button(key="estimate-do").click().run()
    until = time.monotonic() + 50
    while estimate_job(app).running and time.monotonic() < until:
        estimate_job(app).wait(1)
    return app.run()


def estimate_job(app: AppTest) -> Any:
    return app.session_state["estimate"].job


def finished(app: AppTest) -> str:
    """Start the run and wait for its end; gives its id."""
    app.button(key="start").click().run()
    run = "".join(app.query_params["run"])
    assert services().runner.wait(run, 50)
    healthy(app.run())
    return run


def tiles(app: AppTest) -> dict[str, str]:
    return {tile.label: str(tile.value) for tile in app.metric}


def said(key: str) -> str:
    """The longest part of the words that has no hole."""
    return max(re.split(r"\{.*?\}", words()[key]["ja"]), key=len)


def test_an_estimate_shows_calls_money_and_time(model: ModelServer) -> None:
    save_prices(PRICES)
    app = healthy(estimated(opened()))
    assert estimate_job(app).result.conversations == 6
    shown = tiles(app)
    assert shown["会話"] == "6" and int(shown["呼び出し"]) > 0
    assert shown["費用"].endswith("USD") and float(shown["費用"].split()[0]) > 0 and shown["時間"]
    assert list(app.dataframe[0].value["役割"]) == ["ボット", "聞き返し", "模擬ユーザー", "採点者"]
    assert said("estimate.no_price") not in text_of(app)


def test_without_a_price_only_tokens_are_reported(model: ModelServer) -> None:
    app = healthy(estimated(opened()))
    assert tiles(app)["費用"] == "トークン数のみ"
    assert "tiny の料金が未登録" in text_of(app)


def test_an_estimate_of_something_else_is_stale(model: ModelServer) -> None:
    app = estimated(opened())
    assert said("estimate.stale") not in text_of(app)
    app.number_input(key="run-budget-calls").set_value(50).run()
    assert said("estimate.stale") not in text_of(app)  # a limit changes no price
    app.number_input(key="run-turns").set_value(1).run()
    assert said("estimate.stale") in text_of(app) and tiles(app)["費用"] == "–"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
        ("KIKU_JUDGE_MODEL", "wise"),
        ("KIKU_USER_TEMPERATURE", "1.5"),
        ("KIKU_EFFORT", "high"),
        ("KIKU_CACHE", "false"),
    ],
)
def test_an_estimate_with_other_settings_is_stale(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    app = estimated(opened())
    monkeypatch.setenv(name, value)
    settings.cache_clear()
    assert said("estimate.stale") in text_of(app.run()) and tiles(app)["費用"] == "–"


class Slow:
    """Indexes that are not ready before they are let go."""

    def __init__(self) -> None:
        self.free = threading.Event()

    def get(self, bot: Bot, progress: Callable[[int, int], None]) -> None:
        progress(3, 40)
        self.free.wait(50)


def test_while_the_index_is_made_the_page_says_so_and_does_not_wait_for_ever(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, slow = opened(), Slow()
    wait_for_services()
    monkeypatch.setattr(Services, "indexes", slow)
    app.button(key="estimate-do").click().run()
    assert "資料 40 件中 3 件" in text_of(healthy(app))
    monkeypatch.setattr("core.runs.estimate.INDEX_SECONDS", 0.0)
    assert "索引の作成は続いています" in text_of(healthy(app.run()))
    slow.free.set()
    assert estimate_job(app).wait(20) and estimate_job(app).result is None and not model.requests


def test_the_run_does_not_pay_again_for_the_probe_and_the_next_estimate_is_nothing(model: ModelServer) -> None:
    save_prices(PRICES)
    app = estimated(opened())
    probe, due = estimate_job(app).result.paid.calls, estimate_job(app).result.due.calls
    run = finished(app)
    spent = open_store().calls.spending(run).calls
    assert 0 < spent <= due * 2 and probe + spent == len(model.requests)
    assert said("runs.spent") in text_of(app)
    app = healthy(estimated(app))
    assert tiles(app)["呼び出し"] == "0" and tiles(app)["費用"] == "0 USD"


def test_a_limit_of_calls_stops_the_run_and_says_why(model: ModelServer) -> None:
    app = opened()
    app.number_input(key="run-budget-calls").set_value(10).run()
    run = open_store().runs.get(finished(app))
    assert run is not None and run.status == "stopped" and len(model.requests) == 10
    assert "上限（10 回）に達したため" in text_of(app)
    assert "tokens" not in text_of(app) and "budget" not in text_of(app)


def test_a_limit_of_money_without_a_price_is_reported_before_the_start(model: ModelServer) -> None:
    app = opened()
    app.number_input(key="run-budget").set_value(1.0).run()
    assert "tiny の料金が未登録" in app.error[0].value and app.button(key="start").disabled
    save_prices(PRICES)
    assert not healthy(app.run()).button(key="start").disabled


def test_a_limit_below_the_estimate_is_reported(model: ModelServer) -> None:
    save_prices(PRICES)
    app = estimated(opened())
    app.number_input(key="run-budget-calls").set_value(1).run()
    assert "停止しそうです" in text_of(app)
    app.number_input(key="run-budget-calls").set_value(5_000).run()
    assert "収まります" in text_of(app)


def test_a_server_that_is_down_is_reported_and_not_waited_for(model: ModelServer) -> None:
    app = opened()
    model.down()
    app = estimated(app)
    assert len(app.error) == 1 and not app.exception
    assert "estimate-do" in {button.key for button in app.button}


def test_a_probe_can_be_called_off(model: ModelServer) -> None:
    model.delay = 0.5
    app = opened()
    app.button(key="estimate-do").click().run()
    under_way = estimate_job(app)
    app.button(key="estimate-stop").click().run()
    assert "estimate-do" in {button.key for button in healthy(app).button} and under_way.wait(20)
    assert under_way.result is None and under_way.error is None


def test_the_cost_is_in_the_list_of_runs(model: ModelServer) -> None:
    save_prices(PRICES)
    app = opened()
    app.number_input(key="run-turns").set_value(1).run()
    finished(app)
    assert app.dataframe[-1].value["cost"][0].endswith("USD")


def test_the_embedded_engine_costs_nothing_and_no_money_is_shown(folder: Path) -> None:
    app = healthy(opened())
    assert "estimate-do" not in {button.key for button in app.button}
    assert "run-budget" not in {field.key for field in app.number_input}
    finished(app)
    assert (
        "cost" not in app.dataframe[-1].value and "USD" not in text_of(app) and said("runs.spent") not in text_of(app)
    )


def test_in_english_there_is_no_japanese(model: ModelServer) -> None:
    app = healthy(estimated(opened("en")))
    assert set(tiles(app)) == {"Conversations", "Calls", "Cost", "Time"} and tiles(app)["Cost"] == "tokens only"


def test_the_first_message_is_worded_by_the_persona_unless_it_is_switched_off(model: ModelServer) -> None:
    app = healthy(opened())
    run = finished(app)
    assert open_store().runs.get(run).plan["first_message"] == "persona"
    app.query_params.clear()
    app.toggle(key="run-worded").set_value(False).run()
    later = finished(app)
    assert open_store().runs.get(later).plan["first_message"] == "plain"


def test_embedded_personas_word_the_first_message_only_if_that_is_switched_on(folder: Path) -> None:
    app = healthy(opened())
    assert said("run.personas_embedded") in text_of(app)
    run = finished(app)
    assert open_store().runs.get(run).plan["first_message"] == "plain"
    app.query_params.clear()
    app.toggle(key="run-worded").set_value(True).run()
    later = finished(app)
    assert open_store().runs.get(later).plan["first_message"] == "persona"
