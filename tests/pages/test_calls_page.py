"""The page of calls: sums, filters, and any call letter by letter."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis.formatting import seconds_text
from core.base.calls import Call
from core.base.settings import settings
from core.llm.embedded import EmbeddedEngine
from core.llm.prices import Price, Prices, save_prices
from core.retrieval.index_cache import Indexes
from core.runs.plan import Plan
from core.runs.runner import Runner
from core.store.store import Store
from pages.components.cost import cost_text, decimals, money_text
from pages.i18n.translate import t
from pages.settings.call_tables import purpose_name
from tests.support import page_app
from tests.support.model_server import ModelServer, engine_on, serving
from tests.support.page_app import healthy, text_of, title_of

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "<script>alert(1)</script> **bold** $x^2$ :home: [a](https://example.com)\n  ```\n[1]"


def opened(page: str = "settings/calls", language: str = "ja", **query: str) -> AppTest:
    return healthy(page_app.opened(page, language, **query))


def a_call(**differs: Any) -> Call:
    """A call that went well, with a price."""
    request = {"model": "tiny", "messages": [{"role": "user", "content": "期限は"}], "temperature": 0.0}
    shown_text: dict[str, Any] = {
        "created_at": datetime(2026, 11, 2, 3, 4, 5, tzinfo=UTC),
        "purpose": "Answering",
        "role": "bot",
        "server": "http://127.0.0.1:1/v1",
        "model": "tiny",
        "output_mode": "text",
        "key": "k",
        "prompt_tokens": 1000,
        "cached_tokens": 400,
        "completion_tokens": 10,
        "cost": 0.0123,
        "seconds": 0.5,
        "request": json.dumps(request, ensure_ascii=False),
        "reply": json.dumps({"message": {"content": "10日です"}, "finish_reason": "stop"}, ensure_ascii=False),
    }
    return Call.model_validate(shown_text | differs)


def listed(app: AppTest) -> Any:
    """The list of calls."""
    return app.dataframe[1].value


def links(app: AppTest) -> dict[str, str]:
    """{label: the address part} of the page's links."""
    return {link.proto.label: link.proto.query_string for link in app.get("page_link")}


def button(app: AppTest, label: str) -> Any:
    """The button with this label."""
    return next(one for one in app.button if one.label == label)


def metrics(app: AppTest) -> dict[str, tuple[str, str]]:
    """{label: (figure, note)}."""
    return {one.label: (one.value, one.delta) for one in app.metric}


# Nothing, and a whole run


@pytest.mark.parametrize(
    ("language", "words"), [("ja", "内蔵エンジンは言語モデルを呼び出さない"), ("en", "embedded engine")]
)
def test_without_any_call_the_page_says_why(store: Store, language: str, words: str) -> None:
    app = opened(language=language)
    assert words in app.info[0].value and "KIKU_ENGINE" in text_of(app)
    assert not app.dataframe and not app.metric


def test_the_calls_of_a_run_are_summed_listed_and_linked(store: Store) -> None:
    with serving(ModelServer()) as server:
        save_prices(Prices(currency="EUR", models=(Price(pattern="tiny", input=0.5, output=1),)))
        engine = engine_on(server, store)
        runner = Runner(store, Indexes(), engine)
        run = runner.start(Plan(bot="komachi", limit=1))
        assert runner.wait(run, 60)
        runner.close()
    spent = store.calls.spending(run)
    app = opened(run=run)
    figures = metrics(app)
    assert figures["呼び出し"] == (str(spent.calls), f"再試行 {spent.retries} 回")
    assert figures["入力トークン"][0] == f"{spent.prompt_tokens:,}"
    assert title_of(app).startswith(f"言語モデルを {spent.calls} 回呼び出し、費用は 0\\.0") and "EUR" in text_of(app)
    by_role = app.dataframe[0].value
    assert by_role["calls"].sum() == spent.calls and by_role["share"].sum() == pytest.approx(100)
    assert set(by_role["name"]) == {"ボット", "聞き返し", "模擬ユーザー", "採点者"}
    assert len(listed(app)) == spent.calls

    conversation = store.conversations.of_run(run)[0].id
    transcript = opened("results/transcripts", bot="komachi", run=run)
    label = next(label for label in links(transcript) if label.startswith("モデルの呼び出し（"))
    assert links(transcript)[label] == f"conversation={conversation}"
    call = store.calls.newest(conversation_id=conversation, role="judge")[0]
    one = opened(call=str(call.id))
    assert links(one)["会話を開く"] == f"bot=komachi&run={run}&conversation={conversation}"
    sent = [message["content"] for message in json.loads(call.request)["messages"]]
    assert [block.value for block in one.code][: len(sent)] == sent
    assert json.loads(one.code[len(sent)].value) == {
        name: value for name, value in json.loads(call.request).items() if name != "messages"
    }
    assert json.loads(one.code[-1].value) == json.loads(call.reply)
    button(one, "同じ会話の呼び出し").click().run()
    assert len(listed(healthy(one))) == store.calls.spending(conversation_id=conversation).calls


def test_a_conversation_without_calls_has_no_link_to_them(store: Store) -> None:
    runner = Runner(store, Indexes(), EmbeddedEngine())
    run = runner.start(Plan(bot="komachi", limit=1))
    assert runner.wait(run, 60)
    runner.close()
    assert not [label for label in links(opened("results/transcripts", bot="komachi", run=run)) if "呼び出し" in label]
    store.calls.add(a_call())
    assert "呼び出しはありません" in opened(run=run).info[0].value


# One call


@pytest.mark.parametrize("language", ["ja", "en"])
def test_what_people_and_models_wrote_is_shown_letter_by_letter(store: Store, language: str) -> None:
    request = {"messages": [{"role": "system", "content": HOSTILE}, {"role": "user", "content": HOSTILE * 2}]}
    reply = {"message": {"content": HOSTILE, "tool_calls": [{"function": {"name": "f", "arguments": HOSTILE}}]}}
    own = {"request": json.dumps(request), "reply": json.dumps(reply), "error": HOSTILE, "model": HOSTILE}
    call_id = store.calls.add(a_call(**own))
    app = opened(language=language, call=str(call_id))
    blocks = [block.value for block in app.code]
    assert blocks[:2] == [HOSTILE, HOSTILE * 2] and blocks[3:5] == [HOSTILE, HOSTILE]
    for drawn in (*app.title, *app.markdown, *app.caption, *app.warning):
        assert (
            "<script>" not in drawn.value
            and "**bold" not in drawn.value
            and "$x" not in re.sub(r"\\\$", "", drawn.value)
        )
    assert "<script>" not in opened(language=language).title[0].value


def test_the_pages_words_are_in_the_language_of_the_reader(store: Store) -> None:
    call_id = store.calls.add(a_call(error="cut", cost=None))
    for query in ({}, {"call": str(call_id)}):
        english, japanese = opened(language="en", **query), opened(language="ja", **query)
        drawn = (
            text_of(english) + str(metrics(english)) + str([one.label for one in (*english.button, *english.toggle)])
        )
        assert not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", drawn)
        for label in (*metrics(japanese), *(one.label for one in (*japanese.button, *japanese.toggle))):
            assert re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", label), label


def test_a_call_without_a_reply_or_with_one_that_is_no_json_is_shown_as_it_is(store: Store) -> None:
    lost = store.calls.add(a_call(reply="", error="timed out", prompt_tokens=None, completion_tokens=None, cost=None))
    app = opened(call=str(lost))
    assert "返答はありませんでした" in text_of(app) and "timed out" in app.warning[0].value
    assert metrics(app)["費用"] == ("–", "料金不明") and metrics(app)["入力トークン"][0] == "–"
    empty = json.dumps({"message": {"content": ""}, "finish_reason": "stop"})
    assert "本文は空でした" in text_of(opened(call=str(store.calls.add(a_call(reply=empty)))))
    broken = store.calls.add(a_call(request="no JSON", reply="{cut"))
    assert [block.value for block in opened(call=str(broken)).code] == ["no JSON", "{cut"]


@pytest.mark.parametrize("asked", ["999", "abc", "-1", "1" * 40])
def test_a_call_that_is_not_there_is_reported_and_the_list_comes(store: Store, asked: str) -> None:
    store.calls.add(a_call())
    app = opened(call=asked)
    assert "見つかりません" in app.info[0].value and len(listed(app)) == 1


# The list


def test_the_list_is_filtered_and_turned_page_by_page(store: Store) -> None:
    for place in range(120):
        role, error = ("judge" if place % 4 == 0 else "bot"), ("cut" if place % 40 == 0 else "")
        store.calls.add(a_call(role=role, error=error, run_id="" if place < 2 else "gone"))
    app = opened()
    assert len(listed(app)) == 50 and title_of(app).startswith("言語モデルを 120 回")
    for _ in range(2):
        assert not button(app, "古い呼び出しへ").disabled
        button(app, "古い呼び出しへ").click().run()
    assert len(listed(app)) == 20 and button(app, "古い呼び出しへ").disabled
    app.toggle[0].set_value(True).run()
    assert len(listed(app)) == 3 and set(listed(app)["outcome"]) == {"失敗：エラーの原文「cut」"}
    app.segmented_control(key="calls-role").set_value("bot").run()
    assert len(app.dataframe) == 1 and "条件に合う呼び出しはありません" in text_of(healthy(app))
    assert app.selectbox[0].options == [
        "すべての呼び出し",
        "実行以外（チャットや接続の確認）",
        "削除された実行（gone）",
    ]
    assert len(listed(opened(run="-"))) == 2 and len(listed(opened(run="gone"))) == 50


def test_each_page_of_the_list_goes_on_where_the_one_before_ended(store: Store) -> None:
    for place in range(70):
        store.calls.add(a_call(prompt_tokens=place))
    app = opened()
    first = list(listed(app)["prompt_tokens"])
    button(app, "古い呼び出しへ").click().run()
    assert first + list(listed(app)["prompt_tokens"]) == list(range(69, -1, -1))
    button(app, "新しい呼び出しへ").click().run()
    assert list(listed(app)["prompt_tokens"]) == first


def test_the_sums_are_switched_by_purpose_model_and_server(store: Store) -> None:
    store.calls.add(a_call(model="dear", cost=3.0))
    store.calls.add(a_call(model="cheap", cost=1.0, purpose="Rewrite"))
    store.calls.add(a_call(model="free to look at", cost=None))
    app = opened()
    for by, names in {
        "model": ["dear", "cheap", "free to look at"],
        "purpose": ["回答", "検索クエリの作成"],
    }.items():
        app.segmented_control(key="calls-by").set_value(by).run()
        assert list(app.dataframe[0].value["name"]) == names
    assert "料金不明の呼び出し 1 回" in text_of(app) and "4.00 USD" in text_of(app).replace("\\", "")
    app.segmented_control(key="calls-by").set_value("model").run()
    frame = app.dataframe[0].value.set_index("name")
    assert frame.loc["dear", "share"] == 75 and frame.loc["free to look at", ["cost", "share"]].isna().all()


def test_where_nothing_has_a_price_no_money_is_reported(store: Store) -> None:
    store.calls.add(a_call(cost=None))
    store.calls.add(a_call(cost=0.0, error="nobody there", reply=""))  # no reply, so nothing was charged
    app = opened()
    assert "料金は未登録" in title_of(app) and metrics(app)["費用"][0] == "–"
    assert cost_text(store.calls.spending()) == t("estimate.tokens_only")  # so does the page of a run
    assert "トークンがいちばん多い" in text_of(app) or "すべて" in text_of(app)


def test_how_long_calls_are_kept_is_reported(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.calls.add(a_call(created_at=datetime.now(UTC)))
    assert "無期限に残します" in text_of(opened()) and "記録済みの返答" in text_of(opened())
    monkeypatch.setenv("KIKU_CALL_LOG_DAYS", "30")
    monkeypatch.setenv("KIKU_CACHE", "false")
    settings.cache_clear()
    assert "30 日間残し" in text_of(opened()) and "毎回行います" in text_of(opened())


# Words


def test_money_has_the_digits_it_needs() -> None:
    shown_text = [money_text(value, "USD") for value in (None, 0, 0.0123, 0.000044, 0.00348211, 0.5, 12.3456, 12345.6)]
    assert shown_text == [
        "–",
        "0 USD",
        "0.0123 USD",
        "0.000044 USD",
        "0.00348 USD",
        "0.50 USD",
        "12.35 USD",
        "12,345.60 USD",
    ]
    assert decimals([0.5, None, 0.0123]) == 4 and decimals([]) == 2 and money_text(3.0, "") == "3.00"
    assert seconds_text(0.044, t) != seconds_text(0.04444 * 10, t) and purpose_name("SomethingNew") == "SomethingNew"
