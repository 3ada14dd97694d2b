"""What visitors of a server that others can reach may not have it do."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from core.base.bot_edits import save_external, with_external
from core.base.bot_folder import load_bot
from core.base.errors import BadInput
from core.base.settings import Power, settings
from core.base.visitor_powers import check_destination, is_allowed, serve_address
from core.judges.custom.loading import load_custom
from pages.settings.owner_settings import save

pytestmark = pytest.mark.usefixtures("home")
PYTHON = {"kind": "python", "callable": "bot:reply"}
HTTP = {"kind": "chat", "url": "http://127.0.0.1:9/v1", "model": "m"}


@pytest.fixture(autouse=True)
def _on_this_machine() -> Iterator[None]:
    yield
    serve_address("127.0.0.1")


def _refused(power: str) -> None:
    bot = load_bot(next(settings().knowledge_dir.glob("*/bot.toml")).parent.name)
    table = PYTHON if power == "python" else HTTP
    for change in (save_external, with_external):
        with pytest.raises(BadInput) as caught:
            change(bot, table)
        assert caught.value.key == "power_off" and power in str(caught.value)


@pytest.mark.parametrize("address", ["", "0.0.0.0", "192.168.0.7", "kiku.example"])
def test_on_an_address_that_others_reach_every_power_is_off(address: str) -> None:
    serve_address(address)
    assert not any(is_allowed(power) for power in get_args(Power))
    _refused("python")
    _refused("addresses")
    with pytest.raises(BadInput, match="paths"):
        save({"embedding_model": "/etc"})


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "localhost"])
def test_on_this_machine_the_visitor_is_the_owner(address: str) -> None:
    serve_address(address)
    assert all(is_allowed(power) for power in get_args(Power))


def test_the_owner_can_give_a_power_by_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    serve_address("0.0.0.0")
    monkeypatch.setenv("KIKU_VISITOR_POWERS", "addresses")
    settings.cache_clear()
    assert is_allowed("addresses") and not is_allowed("python")
    monkeypatch.delenv("KIKU_VISITOR_POWERS")
    settings().page_file.parent.mkdir(parents=True, exist_ok=True)
    settings().page_file.write_text('visitor_powers = "python"\n', "utf-8")
    settings.cache_clear()
    assert not is_allowed("python")


@pytest.mark.parametrize("text", ["addresses, paths", "addresses;paths", " addresses  paths ; "])
def test_powers_may_be_separated_like_the_entries_of_other_settings(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    serve_address("0.0.0.0")
    monkeypatch.setenv("KIKU_VISITOR_POWERS", text)
    settings.cache_clear()
    assert [power for power in get_args(Power) if is_allowed(power)] == ["paths", "addresses"]


def test_a_power_that_does_not_exist_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIKU_VISITOR_POWERS", "adresses")
    settings.cache_clear()
    with pytest.raises(BadInput, match=r"KIKU_VISITOR_POWERS is 'adresses': .* must be one of python, paths"):
        settings()


def test_a_judge_of_ones_own_does_not_run_for_others() -> None:
    bot = load_bot(next(settings().knowledge_dir.glob("*/bot.toml")).parent.name)
    (bot.folder / "judges").mkdir()
    (bot.folder / "judges" / "mine.py").write_text("raise SystemExit('it ran')\n", "utf-8")
    assert load_custom(bot).judges
    serve_address("0.0.0.0")
    assert not load_custom(bot).judges


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/v1",
        "http://2852039166/v1",
        "http://[fe80::1]/v1",
        "http://[::ffff:169.254.169.254]/v1",
        "http://metadata.google.internal/v1",
        "http://METADATA.google.internal./v1",
        "http://100.100.100.200/",
        "http://0.0.0.0:80/",
    ],
)
def test_requests_of_a_session_do_not_reach_metadata_addresses(url: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_destination(url)
    assert caught.value.key == "metadata_address"


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "http://10.0.0.5/v1", "http://[::1]:8000/v1"])
def test_model_servers_of_ones_own_are_reached(url: str) -> None:
    check_destination(url)


def test_streamlit_is_told_which_names_lead_to_this_server() -> None:
    config = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))
    assert {"localhost", "127.0.0.1"} <= set(config["server"]["allowedHosts"]) and "*" not in config["server"][
        "allowedHosts"
    ]
