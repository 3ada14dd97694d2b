"""A help desk's own bot on loopback, for tests: it keeps state by conversation, and misbehaves as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from core.base.bot_folder import load_bot
from core.base.call_context import in_context
from core.base.errors import BadInput, ModelError
from core.base.types import Bot, Message
from core.bot.external.reply import external_turn
from pages.i18n.translate import words
from tests.support.loopback import listening
from tests.support.small_bot import BOT

SAID = (Message(role="user", text="こんにちは"), Message(role="assistant", text="はい。"))
HTTP = """
[external]
kind = "http"
url = "{url}"
answer = "reply.text"
contexts = "sources"
choices = "buttons[].label"
asked = "type == 'question'"
answered = "found"
timeout = {timeout}
body = '{{"q": "{{message}}", "turns": "{{history}}", "session": "id-{{conversation}}"}}'
"""
LEAVE = {"reply": {"text": "年に5日です。"}, "type": "answer", "found": True,
         "sources": [{"content": "子の看護休暇は年に5日取れます。", "title": "看護休暇", "source": "care.md"}]}  # fmt: skip
ASK = {
    "reply": {"text": "どの休暇のことですか。"},
    "type": "question",
    "buttons": [{"label": "有給"}, {"label": "看護"}],
}
EXPENSES = {"reply": {"text": "交通費は翌月の10日までに精算します。"}, "type": "answer", "found": True,
            "sources": ["交通費は翌月の10日までに経費システムで精算します。"]}  # fmt: skip


class HelpDesk:
    """Replies by the message; `script` holds faults (callables of the handler) or replies given before that, in order."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.script: list[Any] = []
        self.port = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/ask"

    def reply_to(self, body: dict[str, Any]) -> Any:
        text = str(body.get("q", ""))
        if "休暇について" in text:
            return ASK
        return EXPENSES if "交通費" in text else LEAVE


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    home: HelpDesk
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self.answer({})

    def do_POST(self) -> None:
        self.answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def answer(self, body: dict[str, Any]) -> None:
        home = self.home
        with home.lock:
            home.requests.append(body)
            home.headers.append(dict(self.headers))
            home.paths.append(self.path)
            scripted = home.script.pop(0) if home.script else None
        if callable(scripted):
            scripted(self)
            return
        self.send(200, json.dumps(scripted or home.reply_to(body), ensure_ascii=False))

    def send(self, status: int, text: str, **headers: str) -> None:
        data = text.encode()
        self.send_response(status)
        extra_headers = {
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        for name, value in {**extra_headers, "content-length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


def slow(handler: Handler) -> None:
    time.sleep(1.5)
    handler.close_connection = True


def status(code: int, text: str = '{"error": "down"}', **headers: str) -> Any:
    return lambda handler: handler.send(code, text, **headers)


@contextmanager
def help_desk() -> Generator[HelpDesk]:
    """The bot while it runs."""
    home = HelpDesk()
    with listening(Handler, home=home) as home.port:
        yield home


def external_bot(bot: Bot, table: str) -> Bot:
    """The small bot as an external bot, without documents."""
    for file in (bot.folder / "documents").glob("*"):
        file.unlink()
    (bot.folder / "bot.toml").write_text(f"# ours\n{BOT}\n{table}", "utf-8")
    return load_bot(bot.id, bot.folder.parent)


def on_http(bot: Bot, home: HelpDesk, timeout: float = 5, extra_toml: str = "") -> Bot:
    """The small bot, reached at the help desk."""
    return external_bot(bot, HTTP.format(url=home.url, timeout=timeout) + extra_toml)


def with_code(bot: Bot, code: str, name: str = "desk", timeout: float = 5) -> Bot:
    """The small bot as a function `reply` in a file of its folder."""
    Path(bot.folder / f"{name}.py").write_text(code, "utf-8")
    return external_bot(bot, f'[external]\nkind = "python"\ncallable = "{name}:reply"\ntimeout = {timeout}\n')


def error_of(bot: Bot, text: str = "交通費の精算の期限はいつですか") -> tuple[str, str]:
    """The key and the sentence of what went wrong."""
    with pytest.raises((ModelError, BadInput)) as wrong, in_context(connect_patience=0.2):
        external_turn(bot, (), text)
    sentence = words()[f"errors.{wrong.value.key}"]["ja"].format(**wrong.value.details)
    assert len(str(wrong.value)) < 500 and sentence.endswith("。")
    return wrong.value.key, str(wrong.value)
