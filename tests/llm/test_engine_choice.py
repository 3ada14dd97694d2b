"""Nobody pays by surprise, and a key goes to its own address only."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from core.base.errors import BadInput
from core.base.servers import Server
from core.base.settings import Settings, settings
from core.cli.options import engine_of
from core.llm.embedded import EmbeddedEngine
from core.llm.engine_choice import OwnServer, openai_engine, roles_of, session_engine
from core.llm.openai_engine import OpenAIEngine
from core.llm.prices import price_file, read_prices
from core.store.store import Store
from tests.support.example_prompts import NEXT
from tests.support.model_server import ModelServer, engine_on, serving

OWN = Settings(openai_api_key="sk-owner", openai_base_url="http://127.0.0.1:9/v1/", model="tiny", judge_model="wise")


def keys(engine: OpenAIEngine) -> set[tuple[str, str]]:
    return {(model.server.base_url, model.server.key.get_secret_value()) for model in engine.roles.values()}


def test_a_key_alone_does_not_choose_the_model_server(fresh_settings: pytest.MonkeyPatch) -> None:
    fresh_settings.setenv("OPENAI_API_KEY", "sk-around")
    fresh_settings.setenv("KIKU_MODEL", "tiny")
    assert isinstance(engine_of(Namespace()), EmbeddedEngine)
    fresh_settings.setenv("KIKU_ENGINE", "openai")
    settings.cache_clear()
    chosen = engine_of(Namespace())
    assert isinstance(chosen, OpenAIEngine) and keys(chosen) == {("https://api.openai.com/v1", "sk-around")}
    assert isinstance(engine_of(Namespace(engine="embedded")), EmbeddedEngine)


def test_each_role_may_have_its_own_model(store: Store) -> None:
    assert openai_engine(OWN, store.calls).models == {"bot": "tiny", "clarify": "tiny", "user": "tiny", "judge": "wise"}
    assert roles_of(OWN)["judge"] == {"model": "wise", "temperature": 0.0, "effort": ""}


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"openai_api_key": "", "openai_base_url": ""}, "no_key", "OPENAI_API_KEY"),
        ({"openai_api_key": " ", "openai_base_url": "https://API.openai.com/v1/"}, "no_key", "OPENAI_API_KEY"),
        ({"openai_api_key": "", "openai_base_url": "https://eu.api.openai.com/v1"}, "no_key", "OPENAI_API_KEY"),
        ({"model": ""}, "no_model", "KIKU_MODEL"),
        ({"openai_base_url": "ftp://x"}, "bad_address", "ftp://x"),
        ({"openai_base_url": "127.0.0.1:11434"}, "bad_address", "http://127.0.0.1:11434/v1"),
        *(
            ({"openai_base_url": address}, "bad_address", "is not valid")
            for address in (
                "http://127.0.0.1:abc/v1",
                "http://127.0.0.1:99999/v1",
                "http://127.0.0.1:0/v1",
                "http://127.0.0.1 :80/v1",
                "http://127.0.0.1/a b",
                "http://127.0.0.1/\x00v1",
                "http://[::1/v1",
                "http://" + "a" * 70 + ".example/v1",
                "http://a..b/v1",
                "http:///v1",
            )
        ),
    ],
)
def test_what_is_missing_is_reported_in_a_sentence(
    changes: dict[str, str], key: str, message: str, store: Store
) -> None:
    with pytest.raises(BadInput, match=message) as error:
        openai_engine(Settings(**{**OWN.model_dump(), **changes}), store.calls)
    assert error.value.key == key


def test_a_visitor_on_the_owners_server_may_use_the_owners_key(store: Store) -> None:
    for address in ("", "http://127.0.0.1:9/v1", " http://127.0.0.1:9/v1/ "):
        engine = session_engine(OWN, store.calls, OwnServer(address, models={"bot": "small"}))
        assert keys(engine) == {("http://127.0.0.1:9/v1", "sk-owner")} and engine.models["bot"] == "small"


@pytest.mark.parametrize(
    "address",
    ["http://evil.example/v1", "http://127.0.0.1:9/v2", "http://127.0.0.1:10/v1", "http://127.0.0.1:9@evil.example/v1"],
)
def test_the_owners_key_goes_nowhere_else(address: str, store: Store) -> None:
    with pytest.raises(BadInput) as error:
        session_engine(OWN, store.calls, OwnServer(address))
    assert error.value.key == "own_key_needed" and "sk-owner" not in str(error.value)
    assert keys(session_engine(OWN, store.calls, OwnServer(address, "sk-own"))) == {(address, "sk-own")}


def test_a_server_of_ones_own_may_ask_for_no_key(store: Store) -> None:
    keyless = Settings(**{**OWN.model_dump(), "openai_api_key": ""})
    assert keys(openai_engine(keyless, store.calls)) == {("http://127.0.0.1:9/v1", "")}
    assert keys(session_engine(keyless, store.calls, OwnServer(models={"bot": "small"}))) == {
        ("http://127.0.0.1:9/v1", "")
    }
    with pytest.raises(BadInput) as error:
        session_engine(keyless, store.calls, OwnServer("http://192.0.2.1/v1"))
    assert error.value.key == "own_key_needed"


def test_a_visitors_key_may_be_used_on_the_owners_server(store: Store) -> None:
    assert keys(session_engine(OWN, store.calls, OwnServer(key="sk-own"))) == {("http://127.0.0.1:9/v1", "sk-own")}


def test_no_key_shows_in_what_is_printed(store: Store) -> None:
    engine = session_engine(OWN, store.calls, OwnServer(key="sk-own"))
    for text in (repr(OWN), str(OWN), repr(engine.roles), str(engine.roles), OWN.model_dump_json()):
        assert "sk-own" not in text


def test_the_settings_page_cannot_say_where_the_key_goes(fresh_settings: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fresh_settings.setenv("KIKU_DATA_DIR", str(tmp_path))
    fresh_settings.setenv("OPENAI_API_KEY", "sk-owner")
    lines = ['OPENAI_BASE_URL = "http://evil.example"', 'openai_base_url = "http://evil.example"', 'model = "tiny"']
    (tmp_path / "settings.toml").write_text("\n".join(lines))
    assert settings().base_url == "https://api.openai.com/v1" and settings().model == "tiny"
    assert settings().openai_api_key.get_secret_value() == "sk-owner"


def test_a_setting_of_the_model_server_that_is_wrong_is_named(fresh_settings: pytest.MonkeyPatch) -> None:
    fresh_settings.setenv("KIKU_JUDGE_TEMPERATURE", "hot")
    with pytest.raises(BadInput, match="KIKU_JUDGE_TEMPERATURE is 'hot'"):
        settings()


def test_a_password_in_an_address_that_cannot_be_used_is_not_shown(store: Store) -> None:
    with pytest.raises(BadInput) as error:
        openai_engine(OWN.model_copy(update={"openai_base_url": "http://me:sec@ret@host:abc/v1"}), store.calls)
    assert "ret" not in f"{error.value} {error.value.details}" and "host:abc" in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks5://127.0.0.1:1"), ("HTTPS_PROXY", "nothing://x"), ("SSL_CERT_FILE", "/no/such/file")],
)
def test_a_network_setting_that_cannot_be_used_is_named(
    name: str, value: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    far = OWN.model_copy(update={"openai_base_url": "https://models.example/v1"})
    with pytest.raises(BadInput, match=name) as error:
        openai_engine(far, store.calls)
    assert error.value.key == "bad_network"
    assert openai_engine(OWN, store.calls).models["bot"] == "tiny"  # this machine is reached without


def test_this_machine_is_reached_without_a_proxy(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(ModelServer()) as server:
        assert engine_on(server, store).ask(NEXT)
        port = server.port
        for host, is_here in (("localhost", True), ("[::1]", True), ("127.0.0.2", True), ("models.example", False)):
            assert Server(base_url=f"http://{host}:{port}/v1").is_here is is_here


def test_the_path_of_the_address_is_sent_as_it_is_written(server: ModelServer, store: Store) -> None:
    for base_url, sent in (("/a%2Fb/v1/", "/a%2Fb/v1/chat/completions"), ("/v1?x=1%2F", "/v1/chat/completions?x=1%2F")):
        engine_on(server, store, openai_base_url=f"http://127.0.0.1:{server.port}{base_url}").ask(NEXT)
        assert server.path == sent


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("price", ["inf", "nan", "-1"])
def test_a_price_is_a_number_to_reckon_with(price: str) -> None:
    price_file().parent.mkdir(parents=True)
    price_file().write_text(f'[[models]]\npattern = "*"\ninput = {price}\noutput = 1\n')
    with pytest.raises(BadInput, match="models #1, input"):
        read_prices()
