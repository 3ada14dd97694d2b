"""What the owner sets for everybody's models, and what tokens cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import streamlit as st

from core.base.errors import BadInput
from core.base.files import write_text
from core.base.settings import settings
from core.llm.prices import Price, Prices, price_file, read_prices, save_prices
from pages.components.services import services
from pages.settings.owner_settings import fixed_settings, save
from pages.settings.price_table import price_frame, prices_of
from tests.support.model_server import ModelServer
from tests.support.models_page import OWNERS, chat, opened, save_of
from tests.support.page_app import healthy

pytest_plugins = ("tests.support.owners_and_visitors",)


def test_the_owners_choices_are_kept_and_the_engine_is_made_anew(owners: ModelServer, folder: Path) -> None:
    app = opened()
    app.text_input(key="owner-judge_model").set_value("wise")
    app.number_input(key="owner-user_temperature").set_value(1.2)
    app.selectbox(key="owner-judge_effort").set_value("high")
    app.number_input(key="owner-days").set_value(30)
    app.toggle(key="owner-cache").set_value(False)
    app.button_group(key="owner-engine").set_value("openai")
    save_of(app, "owner-models").click().run()
    healthy(app)
    now = settings()
    assert (now.engine, now.judge_model, now.user_temperature, now.judge_effort) == ("openai", "wise", 1.2, "high")
    assert now.call_log_days == 30 and now.cache is False
    assert r"owners\-model" in app.title[0].value
    healthy(chat(app))
    assert owners.requests
    stored = (folder / "data" / "settings.toml").read_text("utf-8")
    assert "OPENAI" not in stored.upper().replace('"OPENAI"', "") and OWNERS not in stored


def test_a_model_engine_without_a_model_is_not_saved(folder: Path) -> None:
    app = opened()
    app.button_group(key="owner-engine").set_value("openai")
    save_of(app, "owner-models").click().run()
    assert len(app.error) == 1 and not app.exception
    assert settings().engine == "embedded"


def test_what_the_environment_decides_cannot_be_changed(owners: ModelServer) -> None:
    app = opened()
    assert app.text_input(key="owner-model").disabled and app.text_input(key="owner-model").value == "owners-model"
    assert not app.text_input(key="owner-judge_model").disabled
    assert any("KIKU" in one.value for one in app.info)


def test_what_the_secrets_file_decides_cannot_be_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = folder / "secrets.toml"
    secrets.write_text('OPENAI_API_KEY = "sk-x"\nKIKU_JUDGE_MODEL = "wise"\nmodel = "another app\'s"\n', "utf-8")
    monkeypatch.setattr("core.base.settings.SECRETS", secrets)
    assert fixed_settings(["judge_model", "model"]) == {"judge_model"}


def test_saving_takes_back_what_is_empty_and_keeps_the_rest_of_the_file(folder: Path) -> None:
    file = settings().page_file
    write_text(file, "# mine\npass_mark = 0.8\ntemperature = 0.5\n")
    save({"temperature": None, "judge_model": "wise"})
    assert file.read_text("utf-8") == '# mine\npass_mark = 0.8\njudge_model = "wise"\n'


def test_the_engine_stays_until_settings_or_prices_change(owners: ModelServer) -> None:
    first = services().owners_engine
    assert services().owners_engine is first
    save({"judge_model": "wise"})
    second = services().owners_engine
    assert second is not first and second.models["judge"] == "wise"  # type: ignore[attr-defined]
    assert first.models["judge"] == "owners-model"  # type: ignore[attr-defined]  # a run under way keeps its own
    save_prices(Prices(models=(Price(pattern="*", input=1, output=1),)))
    assert services().owners_engine.prices.price("wise") is not None  # type: ignore[attr-defined]


def test_no_saved_setting_sends_the_owners_key_elsewhere(owners: ModelServer, visitors: ModelServer) -> None:
    write_text(settings().page_file, f'engine = "openai"\nopenai_base_url = "{visitors.url}"\n')
    settings.cache_clear()
    healthy(chat(opened()))
    assert owners.requests and not visitors.requests and not visitors.headers


def test_prices_are_reported_for_the_models_in_use(owners: ModelServer) -> None:
    save_prices(Prices(currency="JPY", models=(Price(pattern="own*", input=30, output=60),)))
    text = "\n".join(one.value for one in healthy(opened()).markdown)
    assert "入力 30、出力 60 JPY" in text
    price_file().unlink()
    text = "\n".join(one.value for one in healthy(opened()).markdown)
    assert "トークン数だけを数えます" in text


def test_prices_are_saved_from_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = pd.DataFrame([["tiny*", 0.2, None, 0.8]], columns=["pattern", "input", "cached", "output"])
    monkeypatch.setattr(st, "data_editor", lambda table, **_: row)
    app = opened()
    app.button(key="save-prices").click().run()
    assert read_prices() == Prices(models=(Price(pattern="tiny*", input=0.2, output=0.8),))
    assert not app.exception


def priced(pattern: str, money: float = 1) -> Prices:
    return Prices(models=(Price(pattern=pattern, input=money, output=money),))


@pytest.fixture
def half_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A session that makes the first model dearer while another one saves a table with another first model."""
    typing: list[bool] = [True]

    def editor(table: pd.DataFrame, **_: Any) -> pd.DataFrame:
        return table.assign(input=9.0) if typing[0] else table

    save_prices(priced("mine"))
    monkeypatch.setattr(st, "data_editor", editor)
    app = opened()
    save_prices(priced("others"))
    app.button(key="save-prices").click().run()
    return app, typing


def test_what_was_typed_before_another_saved_does_not_land_on_other_models(half_typed: Any) -> None:
    app, _ = half_typed
    assert read_prices() == priced("others") and not app.exception
    assert any("別の画面で" in one.value for one in app.warning)
    app.button(key="replace-prices").click().run()
    assert read_prices() == Prices(models=(Price(pattern="mine", input=9, output=1),))
    assert not app.warning and not app.exception


def test_what_another_saved_is_shown_at_the_press_of_a_button_or_where_nothing_was_typed(half_typed: Any) -> None:
    app, typing = half_typed
    typing[0] = False  # a new editor begins with nothing typed
    app.button(key="reload-prices").click().run()
    assert app.session_state["prices-begun"] == priced("others") and not app.warning
    save_prices(priced("again"))
    app.run()
    assert app.session_state["prices-begun"] == priced("again") and not app.warning and not app.exception


def test_a_price_table_that_cannot_be_used_is_one_sentence_and_not_saved(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = pd.DataFrame([["tiny*", None, None, 0.8]], columns=["pattern", "input", "cached", "output"])
    monkeypatch.setattr(st, "data_editor", lambda table, **_: row)
    app = opened()
    version = app.session_state["prices-version"]
    app.button(key="save-prices").click().run()
    assert len(app.error) == 1 and "1 行目" in app.error[0].value
    assert not price_file().exists() and app.session_state["prices-version"] == version


def test_a_price_file_that_cannot_be_read_can_be_repaired(folder: Path) -> None:
    price_file().parent.mkdir(parents=True, exist_ok=True)
    price_file().write_text("currency = ", "utf-8")
    app = opened()
    assert len(app.error) == 1 and not app.exception
    assert any(area.value == "currency = " for area in app.text_area)


def test_a_table_gives_back_the_prices_it_was_given() -> None:
    stored = Prices(
        currency="EUR",
        models=(Price(pattern="a*", input=1, output=2, cached=0.1), Price(pattern="b", input=0, output=0)),
    )
    assert prices_of(price_frame(stored), "EUR") == stored
    assert prices_of(price_frame(Prices()), " USD ") == Prices()


@pytest.mark.parametrize(
    "rows",
    [
        [["", 1.0, None, 1.0]],
        [["a", None, None, 1.0]],
        [["a", 1.0, None, -1.0]],
        [["a", 1.0, float("inf"), 1.0]],
        [["a", 1.0, None, 1.0], ["a", 2.0, None, 2.0]],
    ],
)
def test_rows_that_cannot_be_prices_are_reported(rows: list[list[Any]]) -> None:
    with pytest.raises(BadInput, match=r"[12] 行目"):
        prices_of(pd.DataFrame(rows, columns=["pattern", "input", "cached", "output"]), "USD")
