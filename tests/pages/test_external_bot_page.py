"""A bot that exists already on the pages: set up, tried, kept, talked to; what it does not tell is unknown."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.base.bot_folder import load_bot
from core.base.external_bots import HttpBot
from core.base.types import Bot
from tests.support.external_bots import HelpDesk, help_desk, on_http, status

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def bot(folder: Path) -> Bot:
    return load_bot("komachi")


@pytest.fixture
def home() -> Iterator[HelpDesk]:
    with help_desk() as found:
        yield found


def opened(page: str, language: str = "ja", **query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.query_params["lang"] = language
    app.run()
    for name, value in {"bot": "komachi", **query}.items():
        app.query_params[name] = value
    return ran(app.switch_page(f"pages/{page}.py"))


def ran(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, [error.message for error in app.exception]
    return app


def press(app: AppTest, key: str) -> AppTest:
    next(button for button in app.button if button.key == key).click()
    return ran(app)


def fill(app: AppTest, ending: str, text: str) -> None:
    fields = [*app.text_input, *app.text_area]
    next(one for one in fields if (one.key or "").endswith(ending)).set_value(text)


def text_of(app: AppTest) -> str:
    parts = [*app.markdown, *app.caption, *app.error, *app.warning, *app.info, *app.code, *app.success]
    return "\n".join(str(part.value) for part in parts)


def choose_kind(app: AppTest, kind: str) -> AppTest:
    next(one for one in app.button_group if "external-kind" in (one.key or "")).set_value(kind)
    return ran(app)


def test_a_bot_is_connected_tried_and_kept(bot: Bot, home: HelpDesk) -> None:
    app = choose_kind(opened("build/bot"), "http")
    fill(app, "-url", home.url)
    fill(app, "-path_answer", "reply.text")
    fill(app, "-path_contexts", "sources")
    fill(app, "-path_asked", "type == 'question'")
    fill(app, "-body", '{"q": "{message}"}')
    fill(app, "external-try-komachi", "交通費の期限は")
    app = press(ran(app), "external-try-do")
    shown = text_of(app)
    assert home.requests == [{"q": "交通費の期限は"}]
    assert "交通費は翌月の10日までに精算します。" in shown and "**いいえ**" in shown and "**不明**" in shown
    assert '"found": true' in shown  # the reply as it came
    assert load_bot("komachi", bot.folder.parent).external is None  # a trial keeps nothing
    app = press(app, "save-external")
    assert "保存しました。" in text_of(app)
    stored = load_bot("komachi", bot.folder.parent).external
    assert isinstance(stored, HttpBot) and (stored.url, stored.contexts) == (home.url, "sources")


def test_what_goes_wrong_is_reported_in_the_page_s_language_with_the_raw_reply(bot: Bot, home: HelpDesk) -> None:
    on_http(bot, home)
    home.script = [{"message": "**bold** <b>hi</b>"}]
    app = press(opened("build/bot"), "external-try-do")
    assert any("「回答」の式を直してください" in one.value for one in app.error)
    assert any("<b>hi</b>" in one.value for one in app.code)
    home.script = [status(404, "nope")]
    app = press(app, "external-try-do")
    assert any("拒否しました" in one.value for one in app.error)
    fill(app, "-url", "nowhere")
    app = press(ran(app), "save-external")
    assert any("URL ではありません" in one.value for one in app.error)
    assert load_bot("komachi", bot.folder.parent).external is not None


def test_a_bot_goes_back_to_being_kiku_s_own(bot: Bot, home: HelpDesk) -> None:
    on_http(bot, home)
    app = choose_kind(opened("build/bot", "en"), "own")
    assert any("taken out" in one.value or "removes the connection" in one.value for one in app.warning)
    press(app, "save-external")
    assert load_bot("komachi", bot.folder.parent).external is None


def said(app: AppTest, text: str, requests: int, home: HelpDesk) -> AppTest:
    app.chat_input[0].set_value(text)
    ran(app)
    until = time.monotonic() + 30
    while len(home.requests) < requests and time.monotonic() < until:
        time.sleep(0.05)
    return ran(app)


def test_the_chat_page_shows_reply_sources_and_what_is_unknown(bot: Bot, home: HelpDesk) -> None:
    on_http(bot, home)
    app = said(opened("talk/chat"), "休暇について教えてください", 1, home)
    shown = text_of(app)
    assert "回答できたか" not in shown  # it asked a clarifying question
    assert "外部ボット" in shown and "どの休暇のことですか。" in shown and "**不明**" in shown
    assert [button.label for button in app.button if (button.key or "").startswith("choice-")] == ["有給", "看護"]
    assert "言語モデルは使っていません" not in shown
    app = said(app, "看護です", 2, home)
    shown = text_of(app)
    assert "年に5日です。" in shown and any("看護休暇" in one.label for one in app.expander)
    assert home.requests[1]["turns"][1] == {"role": "assistant", "content": "どの休暇のことですか。"}
    assert home.requests[0]["session"] == home.requests[1]["session"]


def test_a_failed_reply_is_reported_and_can_be_asked_for_again(bot: Bot, home: HelpDesk) -> None:
    on_http(bot, home)
    home.script = [status(404)]
    app = said(opened("talk/chat"), "交通費の期限は", 1, home)
    assert any("拒否しました" in one.value for one in app.warning)
    assert any("再送信" in button.label for button in app.button)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_other_pages_know_such_a_bot(bot: Bot, home: HelpDesk, language: str) -> None:
    on_http(bot, home)
    documents = text_of(opened("build/documents", language))
    assert ("自分の文書をもとに" if language == "ja" else "its own documents") in documents
    batch = text_of(opened("simulate/run", language))
    assert ("件のメッセージを送ります" if language == "ja" else "At most 18 messages") in batch
    (toggle,) = (one for one in opened("simulate/run", language).toggle if "clarify" in str(one.key))
    assert toggle.disabled and toggle.value
    assert ("自分で決め" if language == "ja" else "decides itself when to ask") in batch
    for page in ("simulate/scenarios", "results/scores", "build/judges"):
        opened(page, language)
