"""Keys and headers: sent to their own server only, told when they cannot be, written down nowhere."""

from __future__ import annotations

import pytest

from core.base.errors import BadInput, ServerRefusal
from core.base.settings import Settings
from core.llm.engine_choice import OwnServer, session_engine
from core.store.store import Store
from tests.support.example_prompts import JUDGE, NEXT
from tests.support.model_server import ModelServer, engine_on, serving

pytestmark = pytest.mark.usefixtures("short_waits")


def test_a_server_without_keys_is_sent_none(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-around")
    with serving(ModelServer(key="")) as server:
        assert engine_on(server, store).ask(NEXT)
        assert "authorization" not in {name.lower() for name in server.headers} and server.invalid == []


def test_a_wrong_key_is_reported_at_once_and_written_down_nowhere(server: ModelServer, store: Store) -> None:
    secret = "sk-very-secret-0123456789"
    with pytest.raises(ServerRefusal, match="refused the key") as error:
        engine_on(server, store, openai_api_key=secret).ask(NEXT)
    with store.db.read() as connection:
        stored = str(connection.exec_driver_sql("select * from calls").all())
    assert "Incorrect API key" in stored
    for text in (
        stored,
        str(error.value),
        repr(error.value),
        repr(engine_on(server, store, openai_api_key=secret).roles),
    ):
        assert secret not in text
    assert server.requests == []


@pytest.mark.parametrize("key", ["キー", "sk-one\nsk-two", "sk-\x00secret"])
def test_a_key_that_cannot_be_sent_is_reported(key: str, server: ModelServer, store: Store) -> None:
    with pytest.raises(BadInput, match="ASCII letters") as error:
        engine_on(server, store, openai_api_key=key)
    assert error.value.key == "bad_key" and key not in f"{error.value} {error.value.details} {error.value.__cause__}"


def test_blanks_around_a_key_are_left_out(server: ModelServer, store: Store) -> None:
    assert engine_on(server, store, openai_api_key=f" {server.key}\n").ask(NEXT)


@pytest.mark.parametrize("name", ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"])
def test_a_header_that_cannot_be_sent_is_named(
    name: str, server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "x-mine: 組織")
    with pytest.raises(BadInput, match=name) as error:
        engine_on(server, store)
    assert error.value.key == "bad_header" and "組織" not in str(error.value)


def test_what_the_environment_says_of_another_server_is_not_sent(
    server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "x-mine: mine")
    owners = Settings(openai_api_key="sk-owner", openai_base_url="http://127.0.0.1:9", model="tiny", timeout=5)
    session_engine(owners, store.calls, OwnServer(server.url, server.key)).ask(NEXT)
    assert "mine" not in str(server.headers) and "sk-owner" not in str(server.headers)
    engine_on(server, store).ask(JUDGE)
    assert server.headers["x-mine"] == "mine"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_is_sent_on_to_another_server(
    status: int, server: ModelServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-mine: mine")
    engine = engine_on(server, store)
    engine.ask(NEXT)
    with serving(ModelServer()) as other:
        there = {"location": f"{other.url}/chat/completions?key={server.key}"}
        server.script = [lambda handler, body, *_: handler.send(status, "", there)]
        with pytest.raises(ServerRefusal, match=f"sends its callers on to http://127.0.0.1:{other.port}, ") as error:
            engine.ask(JUDGE)
        assert error.value.key == "moved" and not other.requests and not other.headers
