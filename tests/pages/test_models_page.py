"""Who speaks in a session: where a key goes, where it does not, and what servers can do."""

from __future__ import annotations

import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from core.base.calls import ServerFeatures
from core.base.servers import Server
from core.base.settings import settings
from core.llm.model_servers import list_models
from core.store.store import open_store
from pages.settings.server_features import probe_key
from tests.support.model_server import ModelServer, serving
from tests.support.models_page import OWNERS, VISITORS, button, chat, fill, opened, sent_keys
from tests.support.page_app import healthy

pytest_plugins = ("tests.support.owners_and_visitors",)


def test_a_visitors_server_speaks_with_the_visitors_key_and_never_sees_the_owners(
    owners: ModelServer, visitors: ModelServer
) -> None:
    app = healthy(fill(opened(), visitors.url, VISITORS))
    assert "tiny" in app.title[0].value
    app = healthy(chat(app))
    assert any("10日までに精算します" in text.value for text in app.markdown)
    assert visitors.requests and sent_keys(visitors) == f"Bearer {VISITORS}"
    assert OWNERS not in json.dumps(visitors.headers) + json.dumps(visitors.requests)
    assert not owners.requests
    assert any("自分のサーバー" in text.value for text in app.caption)


def test_another_session_does_not_get_the_visitors_engine(visitors: ModelServer, folder: Path) -> None:
    healthy(chat(fill(opened(), visitors.url, VISITORS)))
    before = len(visitors.requests)
    app = healthy(chat(opened(), "車の修理について教えてください"))
    assert len(visitors.requests) == before
    assert any("言語モデルは使っていません" in text.value for text in app.caption)


def test_the_visitors_key_is_nowhere_but_in_the_session(
    folder: Path, visitors: ModelServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    app = fill(opened(), visitors.url, VISITORS)
    button(app, "接続を確認").click().run()
    app = healthy(chat(app))
    opened("settings/settings")
    for file in [one for one in folder.rglob("*") if one.is_file()]:
        assert VISITORS.encode() not in file.read_bytes(), file
    with sqlite3.connect(folder / "data" / "kiku.db") as database:
        assert VISITORS not in "\n".join(database.iterdump())
    assert VISITORS not in caplog.text + "".join(capfd.readouterr())
    assert VISITORS not in str(dict(app.query_params))
    reopened = app.switch_page("pages/settings/models.py").run()
    assert VISITORS not in "".join(str(one) for one in reopened.main)
    assert reopened.text_input(key="own-key").value == ""


def test_the_key_leaves_its_field_and_is_forgotten_with_a_button(visitors: ModelServer, folder: Path) -> None:
    app = fill(opened(), visitors.url, VISITORS)
    assert app.text_input(key="own-key").value == ""
    assert VISITORS not in str(app.session_state["engine_choice"])
    button(app, "キーを消して使用をやめる").click().run()
    assert "engine_choice" not in app.session_state and "engine_made" not in app.session_state
    assert "内蔵エンジン" in healthy(app).title[0].value


def test_a_key_does_not_go_along_to_another_address(visitors: ModelServer, folder: Path) -> None:
    with serving(ModelServer(key="another")) as other:
        app = fill(opened(), visitors.url, VISITORS)
        fill(app, other.url, "")
        chat(app)
        assert VISITORS not in json.dumps(other.headers)


def test_another_address_without_a_key_of_ones_own_is_refused(owners: ModelServer, visitors: ModelServer) -> None:
    app = fill(opened(), visitors.url, "")
    assert len(app.error) == 1 and "このサーバーのキーは" in app.error[0].value
    assert app.text_input(key="own-address").value == visitors.url
    chat(app)
    assert not visitors.requests and not owners.requests


def test_a_servers_models_are_suggested_with_the_visitors_key(
    folder: Path, visitors: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str | None]] = []

    def give(self: Any) -> None:
        asked.append((self.path, self.headers.get("authorization")))
        self.send(200, {"data": [{"id": "tiny-b"}, {"id": "tiny-a"}, {"id": 3}, "?"]})

    monkeypatch.setattr("tests.support.model_server.Handler.do_GET", give, raising=False)
    app = opened()
    app.radio(key="models-kind").set_value("own").run()
    app.text_input(key="own-address").set_value(visitors.url)
    app.text_input(key="own-key").set_value(VISITORS)
    button(app, "モデルの一覧を取得").click().run()
    assert asked == [("/v1/models", f"Bearer {VISITORS}")]
    app.button_group(key="own-listed-pick").set_value("tiny-b").run()
    assert healthy(app).text_input(key="own-model").value == "tiny-b"
    button(app, "このセッションで使う").click().run()
    assert r"tiny\-b" in healthy(app).title[0].value


def test_a_server_that_lists_no_models_is_reported(folder: Path, visitors: ModelServer) -> None:
    app = opened()
    app.radio(key="models-kind").set_value("own").run()
    app.text_input(key="own-address").set_value(visitors.url)
    app.text_input(key="own-key").set_value(VISITORS)
    button(app, "モデルの一覧を取得").click().run()
    assert any("一覧を返しません" in one.value for one in healthy(app).caption)


def test_the_owners_key_does_not_fetch_a_list_from_elsewhere(owners: ModelServer, visitors: ModelServer) -> None:
    app = opened()
    app.radio(key="models-kind").set_value("own").run()
    app.text_input(key="own-address").set_value(visitors.url)
    button(app, "モデルの一覧を取得").click().run()
    assert len(app.error) == 1 and "このサーバーのキーは" in app.error[0].value


@pytest.mark.parametrize(
    ("address", "key", "model", "message"),
    [
        ("", "", "tiny", "URL か自分のキー"),
        ("127.0.0.1:1", "sk-some", "tiny", "使えません"),
        ("http://127.0.0.1:1/v1", "sk-some", "", "モデル名"),
    ],
)
def test_what_is_missing_is_reported_in_one_sentence_and_nothing_typed_is_lost(
    folder: Path, address: str, key: str, model: str, message: str
) -> None:
    app = fill(opened(), address, key, model)
    assert len(app.error) == 1 and message in app.error[0].value
    stored = [app.text_input(key=name).value for name in ("own-address", "own-key", "own-model")]
    assert stored == [address, key, model]
    assert not app.exception and "内蔵エンジン" in app.title[0].value


def test_the_owners_models_can_be_chosen_for_a_session_only(owners: ModelServer) -> None:
    app = opened()
    app.radio(key="models-kind").set_value("server").run()
    assert r"owners\-model" in healthy(app).title[0].value
    healthy(chat(app))
    assert sent_keys(owners) == f"Bearer {OWNERS}"
    assert settings().engine == "embedded" and "内蔵エンジン" in opened().title[0].value


def test_a_session_may_do_without_the_owners_model(owners: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIKU_ENGINE", "openai")
    settings.cache_clear()
    app = opened()
    assert r"owners\-model" in app.title[0].value
    app.radio(key="models-kind").set_value("embedded").run()
    healthy(chat(app))
    assert not owners.requests


def test_the_connection_is_tested_for_each_model_and_what_was_found_is_shown(
    folder: Path, visitors: ModelServer
) -> None:
    visitors.output_modes, visitors.rejects = {"json", "text"}, {"temperature", "max_completion_tokens"}
    app = fill(opened(), visitors.url, VISITORS, judge="wise")
    button(app, "接続を確認").click().run()
    assert ["tiny" in one.value or "wise" in one.value for one in healthy(app).success] == [True, True]
    assert {one.model for one in open_store().calls.all_server_features()} == {"tiny", "wise"}
    text = "\n".join(one.value for one in app.run().markdown)
    assert "JSON モード" in text and "temperature" in text and r"max\_tokens" in text
    assert "json\\_schema is not supported" in text


def test_a_wrong_key_is_one_clear_sentence_without_the_key(folder: Path, visitors: ModelServer) -> None:
    app = fill(opened(), visitors.url, "sk-wrong-key-here")
    button(app, "接続を確認").click().run()
    assert len(app.error) == 1 and "キー" in app.error[0].value
    assert "sk-wrong-key-here" not in app.error[0].value.replace("\\", "")


def test_a_server_that_is_not_there_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.llm.model_servers.RETRY_SECONDS", 0.1)
    app = fill(opened(), "http://127.0.0.1:9/v1", "sk-any")
    button(app, "接続を確認").click().run()
    assert len(app.error) == 1 and "動いているか" in app.error[0].value and not app.exception


def test_what_a_server_can_do_is_found_out_again_at_the_press_of_a_button(folder: Path, visitors: ModelServer) -> None:
    app = fill(opened(), visitors.url, VISITORS)
    name = visitors.url
    open_store().calls.save_server_features(
        ServerFeatures(server=name, model="tiny", output_modes=("text",), notes={"schema": "long ago"})
    )
    button(app.run(), "再確認").click().run()
    assert open_store().calls.server_features(name, "tiny").output_modes[0] == "schema"  # type: ignore[union-attr]
    open_store().calls.save_server_features(
        ServerFeatures(server="http://gone.example/v1", model="old", output_modes=("text",))
    )
    app.run().button(key=probe_key("http://gone.example/v1", "old")).click().run()
    assert open_store().calls.server_features("http://gone.example/v1", "old") is None


def test_servers_and_models_whose_names_join_to_the_same_text_have_a_card_each(folder: Path) -> None:
    for server, model in (("http://h/v1-a", "b"), ("http://h/v1", "a-b")):
        open_store().calls.save_server_features(ServerFeatures(server=server, model=model, output_modes=("text",)))
    labels = [one.label for one in healthy(opened()).button]
    assert labels.count("再確認") == 2


def telling(monkeypatch: pytest.MonkeyPatch, body: str) -> list[str]:
    """Every server tells this when it is asked for its models; the paths that were asked for."""
    asked: list[str] = []

    def give(self: Any) -> None:
        asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    monkeypatch.setattr("tests.support.model_server.Handler.do_GET", give, raising=False)
    return asked


def listed_names(*names: object) -> str:
    return json.dumps({"data": [{"id": name} for name in names]})


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("[" * 200_000, []),
        (listed_names("tiny", "\ud800", "a\nb", "w\u200bise"), ["tiny"]),
        (listed_names("tiny", " tiny ", "tiny  a", "tiny a", "   "), ["tiny", "tiny a"]),
        (listed_names("x" * 200_000, "tiny"), ["tiny"]),
        (listed_names(*(f"m{number:03}" for number in range(500))), [f"m{number:03}" for number in range(60)]),
    ],
    ids=["deep", "letters", "spaces", "long", "many"],
)
def test_of_a_strange_list_only_names_that_can_be_used_are_suggested(
    visitors: ModelServer, monkeypatch: pytest.MonkeyPatch, body: str, names: list[str]
) -> None:
    telling(monkeypatch, body)
    assert list_models(Server(base_url=visitors.url)) == names


def test_a_query_in_the_address_stays_behind_the_path(visitors: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = telling(monkeypatch, listed_names("tiny"))
    assert list_models(Server(base_url=f"{visitors.url}?version=1")) == ["tiny"]
    assert asked == ["/v1/models?version=1"]


@pytest.mark.parametrize("label", ["モデルの一覧を取得", "このセッションで使う"])
def test_a_key_with_letters_that_no_key_has_is_reported(folder: Path, visitors: ModelServer, label: str) -> None:
    app = opened()
    app.radio(key="models-kind").set_value("own").run()
    app.text_input(key="own-address").set_value(visitors.url)
    app.text_input(key="own-key").set_value("ｓｋ－鍵")
    app.text_input(key="own-model").set_value("tiny")
    button(app, label).click().run()
    assert len(app.error) == 1 and "キーに使えない文字" in app.error[0].value and not app.exception
    assert not visitors.requests


def test_a_visitor_chooses_temperature_and_effort_for_all_roles_and_for_one(
    owners: ModelServer, visitors: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIKU_BOT_TEMPERATURE", "0.1")
    monkeypatch.setenv("KIKU_JUDGE_EFFORT", "low")
    settings.cache_clear()
    app = fill(opened(), visitors.url, VISITORS)
    app.number_input(key="own-temperature").set_value(0.5)
    app.number_input(key="own-temperature-user").set_value(1.5)
    app.selectbox(key="own-effort-bot").set_value("high")
    button(app, "このセッションで使う").click().run()
    roles = healthy(app).session_state["engine_made"][1].roles
    assert {role: one.temperature for role, one in roles.items()} == {
        "bot": 0.5, "clarify": 0.5, "user": 1.5, "judge": 0.5
    }  # fmt: skip
    assert {role: one.effort for role, one in roles.items()} == {
        "bot": "high",
        "clarify": "",
        "user": "",
        "judge": "low",
    }
    healthy(chat(app))
    assert {one.get("temperature") for one in visitors.requests} == {0.5}
    app = app.switch_page("pages/settings/models.py").run()
    assert app.number_input(key="own-temperature-user").value == 1.5
    assert app.selectbox(key="own-effort-bot").value == "high"
