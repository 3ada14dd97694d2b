"""A chat completion as a server sends it, whole or in pieces; what cannot be read is a Passing error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any, cast

from core.llm.hiding import Hiding
from core.llm.limits import GARBLED, Passing
from core.llm.raw import Raw
from core.llm.schemas import Json

DONE: Json = {}  # the event that ends a stream, known by its identity
BOM = b"\xef\xbb\xbf"
MOST = 2**31  # tokens; more is no number to reckon with
_SHOWN = 200  # characters of what cannot be read
_LENGTH = ("length", "max_tokens", "model_length", "max_length")  # how servers say that a reply was cut


def read_reply(data: bytes, hiding: Hiding) -> Raw:
    """A whole reply; raises Passing where it is not what it should be."""
    answer = _completion(data, hiding)
    choice = _choice(answer)
    return Raw(choice["message"], _finish(choice) or "stop", *_usage(answer))


def events(chunks: Iterator[bytes], hiding: Hiding) -> Iterator[Json]:
    """The events of a stream, at last DONE if it came; a server that does not stream gives its whole reply as one."""
    begun = b""
    for chunk in chunks:
        begun += chunk
        if len(begun.lstrip()) > len(BOM):
            break
    begun = begun.removeprefix(BOM)
    if begun.lstrip()[:1] in (b"{", b"<", b"["):
        answer = _completion(begun + b"".join(chunks), hiding)
        choice = _choice(answer)
        yield {**answer, "choices": [{"delta": choice["message"], "finish_reason": _finish(choice) or "stop"}]}
    else:
        yield from _streamed(_lines(begun, chunks), hiding)


class Heard:
    """What a stream's events tell, taken one by one."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding, self._given, self._held = hiding, list[str](), ""
        self._refusal, self._end = "", ""
        self._used: tuple[int | None, int | None, int | None] = (None, None, None)

    def take(self, event: Json) -> str:
        """The text that one more event lets be handed out; raises Passing."""
        if event is DONE:
            self._end = self._end or "stop"
            return ""
        choice = _choice(event)
        delta: Any = choice.get("delta") or {}
        if not isinstance(delta, dict):
            raise Passing("a piece of the stream cannot be read", tries=GARBLED)
        told = cast(Json, delta)
        refusal: Any = told.get("refusal")
        self._refusal += refusal if isinstance(refusal, str) else ""
        self._end = _finish(choice) or self._end
        used = _usage(event)
        self._used = self._used if used[0] is None else used
        return self._safe(Raw({"content": told.get("content")}).text)

    def _safe(self, piece: str) -> str:
        """What may be handed out: a secret may come in pieces."""
        text = self._hiding.text(self._held + piece)
        end = len(text) - self._hiding.begun(text)
        self._held = text[end:]
        self._given.append(text[:end])
        return text[:end]

    def whole(self) -> tuple[str, Raw]:
        """(the rest of the text, the reply); raises Passing where the stream did not come to its end."""
        if not self._end:
            raise Passing("the stream broke off", tries=GARBLED)
        message: Json = {"role": "assistant", "content": "".join((*self._given, self._held))}
        if self._refusal:
            message["refusal"] = self._hiding.text(self._refusal)
        return self._held, Raw(message, self._end, *self._used)


def _completion(data: bytes, hiding: Hiding) -> Json:
    """The JSON of a whole reply, which holds a message."""
    try:
        answer = hiding.loaded(data)
    except ValueError as error:
        shown = hiding.text(data.decode("utf-8", "replace"))
        raise _no_completion(shown) from error
    message = _choice(cast(Json, answer)).get("message") if isinstance(answer, dict) else None
    if not isinstance(message, dict):
        raise _no_completion(json.dumps(answer, ensure_ascii=False))
    return cast(Json, answer)


def _no_completion(shown: str) -> Passing:
    line = " ".join(shown[: 10 * _SHOWN].split())[:_SHOWN]
    return Passing(f"the reply is not a chat completion ({line or 'empty'})", tries=GARBLED)


def _choice(answer: Json) -> Json:
    """The first choice, the only one that was asked for; {} where an answer holds none."""
    choices: Any = answer.get("choices") or []
    if not isinstance(choices, list) or not all(isinstance(one, dict) for one in cast(list[Any], choices)):
        raise Passing("the choices of the reply are no list of objects", tries=GARBLED)
    first = (one for one in cast(list[Json], choices) if not one.get("index"))
    return next(first, Json())


def _finish(choice: Json) -> str:
    """Why a reply ended, in OpenAI's words; "" where it is not told."""
    told = str(choice.get("finish_reason") or "")
    if told == "error":
        raise Passing("the server says that the reply failed", tries=GARBLED)
    return "length" if told.lower() in _LENGTH else told


def _usage(answer: Json) -> tuple[int | None, int | None, int | None]:
    """Tokens in, of these cached, and out; none where the server does not tell."""
    usage: Any = answer.get("usage")
    if not isinstance(usage, dict):
        return None, None, None
    told = cast(Json, usage)
    details: Any = told.get("prompt_tokens_details")
    cached = cast(Json, details).get("cached_tokens") if isinstance(details, dict) else None
    return _number(told.get("prompt_tokens")), _number(cached), _number(told.get("completion_tokens"))


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST else None


def _lines(begun: bytes, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines, which may end in LF, CR or both, wherever the chunks part them."""
    rest, after_cr = list[bytes](), False
    for chunk in chain((begun,), chunks):
        text = chunk[1:] if after_cr and chunk[:1] == b"\n" else chunk
        after_cr = chunk.endswith(b"\r") if chunk else after_cr
        first, *more = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest.append(first)
        for line in more:
            yield b"".join(rest)
            rest = [line]
    yield b"".join(rest)


def _streamed(lines: Iterator[bytes], hiding: Hiding) -> Iterator[Json]:
    """Server-sent events; each is read as soon as its data are whole, also where no empty line follows."""
    data, failed = b"", False
    for line in lines:
        field, _, value = line.partition(b":")
        if field == b"event":
            failed = value.strip() == b"error"
        if field == b"data":
            data += value.strip() + b"\n"
            if data.strip() == b"[DONE]":
                yield DONE
                return
            if (event := _event(data, hiding, failed)) is not None:
                yield event
                data = b""
        if not line:
            if data.strip():
                break
            failed = False
    if data.strip():
        raise Passing("a piece of the stream cannot be read", tries=GARBLED)


def _event(data: bytes, hiding: Hiding, failed: bool) -> Json | None:
    """One event; none while its data are not whole yet."""
    try:
        event = hiding.loaded(data)
    except ValueError:
        return None
    if failed or not isinstance(event, dict) or cast(Json, event).get("error"):
        raise Passing(f"the stream broke off ({json.dumps(event, ensure_ascii=False)[:_SHOWN]})", tries=GARBLED)
    return cast(Json, event)
