"""How an external bot is called: the table `[external]` of its `bot.toml`, of one of three kinds."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal
from urllib.parse import urlsplit

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator, Field, field_validator
from pydantic_core import PydanticCustomError

from core.base.frozen_model import FrozenModel
from core.base.http_rules import is_header_name, is_http_address, is_secret_name, is_sendable

VARIABLE = re.compile(r"\$\{([A-Za-z_]\w{0,99})\}")
FIELDS = ("answer", "contexts", "choices", "asked", "answered")  # what a reply may contain
_NAME = re.compile(r"[A-Za-z_]\w{0,99}")
_KEY = re.compile(r"(?:sk|pk|key|ghp|xox[a-z])[-_][^\W\d]*+\d\w*")  # as keys begin, and names of variables do not
_FUNCTION = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def _wrong(why: str, message: str) -> PydanticCustomError:
    return PydanticCustomError(why, message)  # type: ignore[arg-type]


def _checked_address(url: str) -> str:
    """The address, if it is one; raises for a password in it and for variables outside of the query."""
    url = url.strip()
    if not is_http_address(VARIABLE.sub("1", url)):
        raise _wrong("not_address", "not an address such as https://help.example.com/api")
    if "@" in urlsplit(url).netloc or VARIABLE.search(url.partition("?")[0]):
        raise _wrong("written_key", "an address holds no password; put it into a header as ${NAME}")
    return url


Address = Annotated[str, AfterValidator(_checked_address)]


class _BaseBot(FrozenModel):
    """The field that all kinds have."""

    timeout: float = Field(default=60, gt=0, le=3600)  # seconds for one reply


class _JsonBot(_BaseBot):
    """JMESPath of each value in the JSON of a reply; "" for a value that the bot does not return."""

    answer: str = "answer"  # the text
    contexts: str = ""  # texts, or objects with a text, that the bot saw
    choices: str = ""  # texts that it offers as choices
    asked: str = ""  # true if the reply is a clarifying question
    answered: str = ""  # false if the bot could not answer

    @field_validator(*FIELDS)
    @classmethod
    def _path(cls, path: str) -> str:
        try:
            if path.strip():
                jmespath.compile(path)
        except (JMESPathError, RecursionError, ValueError) as error:
            raise _wrong("not_jmespath", f"not JMESPath: {' '.join(str(error).split())[:120]}") from error
        return path.strip()


class ChatBot(_JsonBot):
    """An OpenAI-compatible chat endpoint."""

    kind: Literal["chat"]
    url: Address  # without /chat/completions at its end
    model: str = Field(min_length=1)
    key: str = ""  # name of an environment variable
    answer: str = "choices[0].message.content"

    @field_validator("key")
    @classmethod
    def _named(cls, key: str) -> str:
        if key and (not _NAME.fullmatch(key) or _KEY.match(key)):
            raise _wrong("written_key", "name the environment variable that holds the key, not the key")
        return key


class HttpBot(_JsonBot):
    """Any HTTP endpoint that takes and returns JSON; headers and the query of `url` may name variables as ${NAME}."""

    kind: Literal["http"]
    url: Address
    method: Literal["POST", "PUT", "GET"] = "POST"
    headers: dict[str, str] = Field(default_factory=dict)
    # JSON template; "{message}", "{conversation}" and (as a value of its own) "{history}" are filled in
    body: str = '{"message": "{message}", "history": "{history}", "conversation": "{conversation}"}'

    @field_validator("headers")
    @classmethod
    def _sendable(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not is_header_name(name) or not is_sendable(value):
                raise _wrong("not_header", "a header is one line of plain letters, digits and signs")
            if is_secret_name(name) and value.strip() and not VARIABLE.search(value):
                raise _wrong("written_key", "name the environment variable that holds the key, as ${NAME}, not the key")
        return headers

    @field_validator("body")
    @classmethod
    def _template(cls, body: str) -> str:
        try:
            filled = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _wrong("not_json", "not JSON") from error
        if not isinstance(filled, dict):
            raise _wrong("not_json", "not a JSON object")
        return body


class PythonBot(_BaseBot):
    """A function of (message, history, conversation) in a file of the bot's folder, or in a module."""

    kind: Literal["python"]
    callable: str  # "module:function"

    @field_validator("callable")
    @classmethod
    def _function(cls, name: str) -> str:
        if not _FUNCTION.fullmatch(name.strip()):
            raise _wrong("not_callable", "not of the form module:function")
        return name.strip()


ExternalBot = Annotated[ChatBot | HttpBot | PythonBot, Field(discriminator="kind")]
