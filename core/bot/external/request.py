"""What is sent to a bot over HTTP: its address, headers and body, with message, history and keys put in."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import httpx2
from pydantic import SecretStr, ValidationError

from core.base.errors import BadInput
from core.base.external_bots import VARIABLE, ChatBot, HttpBot
from core.base.http_rules import is_sendable
from core.base.json_data import Json, compact_json
from core.base.redact import Redactor
from core.base.servers import Server
from core.base.settings import settings, variable
from core.base.types import Bot, Message


def secret(name: str, url: str) -> str:
    """The value of an environment variable that may be sent to the address.

    It comes from the environment, `.env` or `.streamlit/secrets.toml`; this machine may be sent any, another host those
    that KIKU_EXTERNAL_KEYS allows it. Raises BadInput.
    """
    host = _host(url)
    if not Server(base_url=url.partition("?")[0]).is_here and not _allowed(name, host):
        problem = (
            f"{name} may not be sent to {host[0]}. Add {name}@{host[0]} to KIKU_EXTERNAL_KEYS in .env to allow it."
        )
        raise BadInput(problem, "external_key_host", name=name, host=host[0])
    value = variable(name)
    if not value.strip():
        problem = f"The environment variable {name} is not set. Set it in the environment, .env or secrets.toml."
        raise BadInput(problem, "external_no_key", name=name)
    if not is_sendable(value.strip()):
        problem = f"{name} cannot be sent in a header. Use one line of ASCII letters, digits and signs."
        raise BadInput(problem, "external_bad_key", name=name)
    return value.strip()


def expand_secrets(text: str, url: str) -> tuple[str, tuple[str, ...]]:
    """The text with every ${NAME} replaced by its value, and those values; raises BadInput like `secret`."""
    values = {name: secret(name, url) for name in VARIABLE.findall(text)}
    return VARIABLE.sub(lambda found: values[found[1]], text), tuple(values.values())


def _host(url: str) -> tuple[str, ...]:
    """The host of an address, as it may be written: with its port, and without the usual one."""
    parts = urlsplit(url)
    name = (parts.hostname or "").lower()
    usual = 443 if parts.scheme == "https" else 80
    port = parts.port or usual
    return (name, f"{name}:{port}") if port == usual else (f"{name}:{port}",)


def _allowed(name: str, host: tuple[str, ...]) -> bool:
    return any(f"{name}@{spelling}" in settings().external_keys for spelling in host)


class OutgoingMessage(NamedTuple):
    """A message to an external bot, the messages before it, and the conversation's id (for bots that keep state)."""

    text: str
    history: tuple[Message, ...] = ()
    conversation: str = ""

    def history_messages(self) -> list[Json]:
        """The history as roles and contents, oldest first."""
        return [{"role": message.role, "content": message.text} for message in self.history]


class Request(NamedTuple):
    """A request ready to be sent; `redactor` keeps its keys out of whatever comes back."""

    server: Server
    method: str
    url: httpx2.URL
    headers: dict[str, str]
    body: bytes
    redactor: Redactor


def chat_request(bot: Bot, external: ChatBot, outgoing: OutgoingMessage) -> Request:
    """The request to a chat endpoint; the bot's prompt goes first if it has one. Raises BadInput."""
    key = secret(external.key, external.url) if external.key else ""
    rules = [{"role": "system", "content": bot.prompt}] if bot.prompt.strip() else []
    messages = [*rules, *outgoing.history_messages(), {"role": "user", "content": outgoing.text}]
    body = compact_json({"model": external.model, "messages": messages, "stream": False})
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    address, _, query = external.url.partition("?")
    url = f"{address.rstrip('/')}/chat/completions" + (f"?{query}" if query else "")
    return _request(external, "POST", url, headers, body, (key,))


def http_request(external: HttpBot, outgoing: OutgoingMessage) -> Request:
    """The request to any endpoint; with GET the fields of the body go into the query. Raises BadInput."""
    url, values = expand_secrets(external.url, external.url)
    headers: dict[str, str] = {}
    for name, value in external.headers.items():
        headers[name], found = expand_secrets(value, external.url)
        values += found
    body = cast(Json, fill_template(json.loads(external.body), outgoing))
    if external.method == "GET":
        fields = {
            name: value if isinstance(value, str) else compact_json(value).decode() for name, value in body.items()
        }
        url = str(httpx2.URL(url).copy_merge_params(fields))
        return _request(external, "GET", url, headers, b"", values)
    return _request(external, external.method, url, headers, compact_json(body), values)


def fill_template(template: Any, outgoing: OutgoingMessage) -> Any:
    """A JSON template with {message}, {history} and {conversation} replaced."""
    if isinstance(template, list):
        return [fill_template(one, outgoing) for one in cast("list[Any]", template)]
    if isinstance(template, dict):
        return {name: fill_template(one, outgoing) for name, one in cast("dict[str, Any]", template).items()}
    if not isinstance(template, str):
        return template
    if template.strip() == "{history}":
        return outgoing.history_messages()
    values = {"message": outgoing.text, "conversation": outgoing.conversation}
    return re.sub(r"\{(message|conversation)\}", lambda place: values[place[1]], template)


def _request(
    external: ChatBot | HttpBot, method: str, url: str, headers: dict[str, str], body: bytes, values: tuple[str, ...]
) -> Request:
    plain = {"Accept": "application/json", "User-Agent": "kiku"}
    typed = {"Content-Type": "application/json"} if body else {}
    header_words = tuple(part for value in headers.values() for part in value.split()[1:])
    try:
        server = Server(
            base_url=external.url.partition("?")[0], key=SecretStr(" ".join(values)), timeout=external.timeout
        )
        address = httpx2.URL(url)
    except (ValidationError, httpx2.InvalidURL):
        message = f"{external.url} is not a valid URL. Use one such as https://help.example.com/api."
        raise BadInput(message, "external_address", url=external.url) from None
    own = {name.lower() for name in headers}
    usual = {name: value for name, value in {**plain, **typed}.items() if name.lower() not in own}
    hidden = tuple(one for one in header_words if any(value in one for value in values if value))
    return Request(server, method, address, {**usual, **headers}, body, Redactor((*values, *hidden)))
