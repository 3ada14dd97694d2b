"""A chat completion as a server sends it, whole or in pieces; an unreadable one is a TransientError."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from core.base.errors import TransientError
from core.base.http import MALFORMED_TRIES
from core.base.json_data import Json, as_object, objects_of
from core.base.redact import Redactor

UNPARSED = "unparsed"  # finish reason of a reply that is only the server's error
MAX_COUNTED_TOKENS = 2**31  # above this a token count is not believed
_MAX_SHOWN_CHARACTERS = 200  # characters of an unreadable reply that are shown
# Finish reasons of servers for a reply that was cut
_CUT_REASONS = ("length", "max_tokens", "model_length", "max_length")


class Usage(NamedTuple):
    """The tokens of a call; None if the server counted none."""

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None


UNCOUNTED = Usage()


@dataclass(frozen=True)
class Completion:
    """A reply as the server sent it: the message, the finish reason, and the tokens."""

    message: Json
    finish_reason: str = "stop"
    usage: Usage = UNCOUNTED

    @property
    def text(self) -> str:
        """The content as one text; "" if there is none."""
        content = self.message.get("content")
        if isinstance(content, list):
            texts = (part.get("text") for part in objects_of(cast(object, content)))
            return "".join(text for text in texts if isinstance(text, str))
        return content if isinstance(content, str) else ""

    @property
    def shown(self) -> str:
        """The model's text or calls, as it is shown to the model again."""
        return self.text or (_dumped(self.message["tool_calls"]) if self.message.get("tool_calls") else "(…)")

    @property
    def raw(self) -> str:
        """The text as it came; the whole reply as JSON if it has none."""
        return self.text or self.dump()

    def dump(self) -> str:
        """The reply for the call log, JSON."""
        return f'{{"message": {_dumped(self.message)}, "finish_reason": {json.dumps(self.finish_reason)}}}'


def load_completion(dumped: str) -> Completion:
    """The reply that `Completion.dump` wrote down."""
    stored = json.loads(dumped)
    return Completion(message=stored["message"], finish_reason=stored["finish_reason"])


def read_completion(data: bytes, redactor: Redactor) -> Completion:
    """A whole reply; raises TransientError if it is not what it should be."""
    try:
        answer = redactor.load_json(data)
    except ValueError as error:
        raise _no_completion(redactor.text(data.decode("utf-8", "replace"))) from error
    fields = as_object(answer)
    choice = _choice(fields)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise _no_completion(json.dumps(answer, ensure_ascii=False))
    return Completion(cast(Json, message), _finish(choice) or "stop", _usage(fields))


class StreamedCompletion:
    """A reply that is assembled from a stream's chunks."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor, self._texts, self._rest = redactor, list[str](), ""
        self._refusal, self._finish = "", ""
        self._usage = UNCOUNTED

    def take(self, chunk: object) -> str:
        """The text that one more chunk lets be handed out; raises TransientError."""
        if not isinstance(chunk, dict):
            raise TransientError("a piece of the stream cannot be read", tries=MALFORMED_TRIES)
        event = cast(Json, self._redactor.data(chunk))
        choice = _choice(event)
        delta: Any = choice.get("delta") or {}
        if not isinstance(delta, dict):
            raise TransientError("a piece of the stream cannot be read", tries=MALFORMED_TRIES)
        fields = cast(Json, delta)
        refusal: Any = fields.get("refusal")
        self._refusal += refusal if isinstance(refusal, str) else ""
        self._finish = _finish(choice) or self._finish
        usage = _usage(event)
        self._usage = self._usage if usage.prompt_tokens is None else usage
        return self._without_keys(Completion({"content": fields.get("content")}).text)

    def _without_keys(self, piece: str) -> str:
        """The part of the text that may be passed on: a key may come in pieces."""
        text = self._redactor.text(self._rest + piece)
        end = len(text) - self._redactor.partial_length(text)
        self._rest = text[end:]
        self._texts.append(text[:end])
        return text[:end]

    def whole(self) -> tuple[str, Completion]:
        """(the rest of the text, the reply); raises TransientError if the stream did not come to its end."""
        if not self._finish:
            raise TransientError("the stream broke off", tries=MALFORMED_TRIES)
        message: Json = {"role": "assistant", "content": "".join((*self._texts, self._rest))}
        if self._refusal:
            message["refusal"] = self._redactor.text(self._refusal)
        return self._rest, Completion(message, self._finish, self._usage)


def _no_completion(shown: str) -> TransientError:
    line = " ".join(shown[: 10 * _MAX_SHOWN_CHARACTERS].split())[:_MAX_SHOWN_CHARACTERS]
    return TransientError(f"the reply is not a chat completion ({line or 'empty'})", tries=MALFORMED_TRIES)


def _choice(answer: Json) -> Json:
    """The first choice, the only one that was requested; {} if the answer has none."""
    choices: Any = answer.get("choices") or []
    objects = objects_of(cast(object, choices))
    if not isinstance(choices, list) or len(objects) < len(cast(list[Any], choices)):
        raise TransientError("the choices of the reply are no list of objects", tries=MALFORMED_TRIES)
    return next((choice for choice in objects if not choice.get("index")), Json())


def _finish(choice: Json) -> str:
    """The finish reason in OpenAI's words; "" if the server does not say."""
    reason = str(choice.get("finish_reason") or "")
    if reason == "error":
        raise TransientError("the server says that the reply failed", tries=MALFORMED_TRIES)
    return "length" if reason.lower() in _CUT_REASONS else reason


def _usage(answer: Json) -> Usage:
    counts = as_object(answer.get("usage"))
    cached = as_object(counts.get("prompt_tokens_details")).get("cached_tokens")
    return Usage(_number(counts.get("prompt_tokens")), _number(cached), _number(counts.get("completion_tokens")))


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_COUNTED_TOKENS else None


def _dumped(message: Any) -> str:
    try:
        return json.dumps(message, ensure_ascii=False)
    except RecursionError:
        return json.dumps({"content": "(nested too deeply to be written down)"})
