"""Sessions on the models page: what a visitor fills in, presses and asks."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.support import page_app
from tests.support.model_server import ModelServer

OWNERS, VISITORS = "sk-owner-0123456789", "sk-visitor-9876543210"
QUESTION = "交通費の精算の期限はいつですか"


def opened(page: str = "settings/models", language: str = "ja") -> AppTest:
    return page_app.opened(page, language)


def button(app: AppTest, label: str) -> Any:
    return next(one for one in app.button if one.label == label)


def fill(app: AppTest, address: str, key: str, model: str = "tiny", judge: str = "") -> AppTest:
    """Choose a server of one's own and use it."""
    app.radio(key="models-kind").set_value("own").run()
    app.text_input(key="own-address").set_value(address)
    app.text_input(key="own-key").set_value(key)
    app.text_input(key="own-model").set_value(model)
    app.text_input(key="own-model-judge").set_value(judge)
    return button(app, "このセッションで使う").click().run()


def chat(app: AppTest, text: str = QUESTION) -> AppTest:
    app.switch_page("pages/talk/chat.py").run()
    return app.chat_input[0].set_value(text).run()


def sent_keys(server: ModelServer) -> str:
    return str(server.headers.get("authorization", server.headers.get("Authorization", "")))


def save_of(app: AppTest, form: str) -> Any:
    """The button that sends a form."""
    return next(one for one in app.button if one.label == "保存する" and one.form_id == form)
