"""No key is kept, shown or logged, however a server repeats it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.base.errors import ModelError
from core.base.redact import Redactor
from core.base.settings import Settings
from core.llm.engine_choice import openai_engine
from core.store.store import Store
from tests.support.example_prompts import ANSWER, JUDGE, NEXT, REWRITE
from tests.support.model_replies import completion
from tests.support.model_server import ModelServer, engine_on, serving

pytestmark = pytest.mark.usefixtures("short_waits")
KEY = "sk-very-secret-0123456789"
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


@pytest.fixture
def server() -> Any:
    with serving(ModelServer(key=KEY)) as server:
        yield server


def stored_text(store: Store) -> str:
    with store.db.read() as connection:
        return str([connection.exec_driver_sql("select * from calls").all(), store.calls.all_server_features()])


def sent(status: int, body: Any) -> Any:
    return lambda handler, *_: handler.send(status, body)


@pytest.mark.parametrize(
    "answer",
    [
        sent(200, completion({"role": "assistant", "content": f"You are {KEY}"})),
        sent(200, json.dumps(completion({"role": "assistant", "content": "You are KEY"})).replace("KEY", ESCAPED)),
        sent(200, completion({"role": "assistant", "content": None, "refusal": f"No, {KEY}"})),
        sent(200, completion({"role": "assistant", "content": "hm", KEY: {"a": [KEY]}})),
        sent(200, f"<html>{KEY}"),
        sent(200, json.dumps({"message": "KEY"}).replace("KEY", ESCAPED)),
        sent(200, {"error": {"message": KEY}}),
        sent(400, f"Bearer {KEY} is odd"),
        sent(400, {"error": {"code": "tool_use_failed", "message": "x", "failed_generation": f"I am {KEY}"}}),
        sent(400, {"error": {"param": KEY, "message": KEY}}),
        sent(401, {"error": {"message": f"Wrong key: {KEY}"}}),
        sent(400, json.dumps([{"error": {"message": "Wrong key: KEY"}}]).replace("KEY", ESCAPED)),
        sent(422, {"detail": [{"loc": ["header", KEY], "msg": KEY}]}),
        sent(500, "x" * 190 + KEY),
        lambda handler, *_: (handler.wfile.write(f"{KEY}\r\n\r\n".encode()), handler.hang_up()),
    ],
)
@pytest.mark.parametrize("prompt", [REWRITE, NEXT], ids=["text", "object"])
def test_a_key_that_a_server_repeats_is_stored_nowhere(
    answer: Any, prompt: Any, server: ModelServer, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    engine = engine_on(server, store, openai_api_key=KEY)
    engine.ask(JUDGE)
    server.script = [answer] * 2
    try:
        message: object = engine.ask(prompt)
    except ModelError as error:
        message = (error, error.details, error.__cause__)
    assert KEY not in f"{message!r} {stored_text(store)}" and ESCAPED not in stored_text(store)
    assert not any(KEY in record.getMessage() for record in caplog.records if record.name.startswith("core"))


@pytest.mark.parametrize("of", ["content", "refusal"])
def test_a_key_that_comes_in_pieces_is_not_handed_out(of: str, server: ModelServer, store: Store) -> None:
    engine = engine_on(server, store, openai_api_key=KEY)
    engine.ask(REWRITE)
    server.script = [lambda handler, *_: handler.stream(f"You are {KEY}, and sk-", of=of)]
    if of == "content":
        assert "".join(engine.stream(ANSWER)) == "You are •••, and sk-"
    else:
        with pytest.raises(ModelError, match="You are •••"):
            list(engine.stream(ANSWER))
    assert "•••" in stored_text(store) and KEY not in stored_text(store)


def test_a_password_in_the_address_and_the_owners_headers_are_hidden(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-api-key: own-header-77")
    with serving(ModelServer(key="")) as server:
        address = server.url.replace("//", "//me:pass%2Fword-1@")
        engine = openai_engine(Settings(openai_base_url=address, model="tiny", timeout=5), store.calls)
        with pytest.raises(ModelError):  # this server takes no Authorization, and repeats it
            engine.ask(NEXT)
        assert server.headers["x-api-key"] == "own-header-77" and server.headers["Authorization"].startswith("Basic")
    sent = server.headers["Authorization"].removeprefix("Basic ")
    assert "Basic •••" in stored_text(store) and sent not in stored_text(store) and "word-1" not in stored_text(store)


@pytest.mark.parametrize("word", ["ollama", "none", "x", "EMPTY"])
def test_a_word_given_where_no_key_is_needed_stays_a_word(word: str) -> None:
    assert Redactor([word]).load_json(json.dumps({"text": f"{word} it is"})) == {"text": f"{word} it is"}


ODD = 'k"ey\\with/slashes-é-0123'


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"a": [f"It is {ODD}."]}).encode(),
        json.dumps({"a": [f"It is {ODD}."]}, ensure_ascii=False).encode(),
        json.dumps({ODD: "a"}, ensure_ascii=False).replace("/", "\\/").encode(),
        json.dumps({"a": [ODD]}, ensure_ascii=False).encode("utf-8-sig"),
        json.dumps({"a": [ODD]}, ensure_ascii=False).encode("utf-16"),
        json.dumps({"a": [ODD]}, ensure_ascii=False).encode("utf-16-le"),
        json.dumps({"a": [ODD]}, ensure_ascii=False).encode("utf-32-be"),
        json.dumps({"a": [ODD]}, ensure_ascii=False).encode() + b" " * 3,
    ],
)
def test_a_secret_is_found_however_json_spells_it(data: bytes) -> None:
    shown = str(Redactor([ODD]).load_json(data))
    assert "•••" in shown and "slashes" not in shown


@pytest.mark.parametrize("data", [b'{"a": "x\\ud800"}', b'{"a": "x\xed\xa0\x80"}', b'{"a": "x\\uDFFF"}'])
def test_half_characters_are_replaced(data: bytes) -> None:
    assert Redactor([]).load_json(data) == {"a": "x\ufffd"}
