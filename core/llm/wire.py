"""One request to a server and its answer, whatever the server makes of it."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2
import openai

from core.llm.errors import Refused
from core.llm.limits import GARBLED, Passing
from core.llm.replies import Raw
from core.llm.roles import Server
from core.llm.schemas import Json

_PATH = "/chat/completions"
CONNECT = 10.0  # seconds for a connection
_BUSY = (429, 503, 529)
_PASSING = (408, 409, 425, 502, 504)
_TOLD = 500  # characters of a server's error that are passed on


class Rejected(Exception):
    """The server will not take the request as it is; `names`: where it says what it objects to, most telling first."""

    def __init__(self, status: int, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.status, self.names = status, names


class _Alone(openai.OpenAI):
    """A client that sends nothing of the environment's: its organization and headers are for the owner's server."""

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """What describes the request and the client, and this client's own key."""
        plain = ("accept", "content-type", "user-agent")
        given = {name: value for name, value in super().default_headers.items() if name.lower() in plain}
        return {**given, **self.auth_headers}


class Wire:
    """Sends requests to one server; safe to share between threads. Retries are for the caller to make."""

    def __init__(self, server: Server) -> None:
        self._server, self._key = server, server.key.get_secret_value()
        timeout = httpx2.Timeout(server.timeout, connect=min(CONNECT, server.timeout))
        kind = openai.OpenAI if server.is_owners else _Alone
        self._client = kind(base_url=server.base_url, api_key=self._key or "none", max_retries=0, timeout=timeout)

    def reply(self, body: Json) -> Raw:
        """The whole reply; raises Passing, Rejected or Refused."""
        return _read(b"".join(self._bytes(body)))

    def pieces(self, body: Json) -> Generator[str, None, Raw]:
        """The reply's text in pieces as they come, at last all of it; raises Passing, Rejected or Refused."""
        text: list[str] = []
        whole = Raw(message={}, finish="")
        for event in _events(self._bytes({**body, "stream": True})):
            whole = _joined(whole, event)
            piece = _delta(event)
            if piece:
                text.append(piece)
                yield piece
        if not whole.finish:
            raise Passing("the stream broke off", tries=GARBLED)
        message: Json = {"role": "assistant", "content": "".join(text)}
        return Raw(message, whole.finish, whole.prompt_tokens, whole.cached_tokens, whole.completion_tokens)

    def _bytes(self, body: Json) -> Iterator[bytes]:
        """The body of the server's answer as it comes, within the time-out however slowly it drips."""
        until = time.monotonic() + self._server.timeout
        try:
            # not chat.completions.create, which spends a fifth of the time on looking for names to translate
            answer = self._client.post(_PATH, cast_to=object, body=body, stream=True, stream_cls=openai.Stream[object])
            with answer:
                for chunk in answer.response.iter_bytes():
                    yield chunk
                    if time.monotonic() > until:
                        raise Passing(f"no whole reply within {self._server.timeout:g} s")
        except openai.APIStatusError as error:
            raise self._judged(error) from error
        except openai.APITimeoutError as error:
            raise Passing(f"no reply within {self._server.timeout:g} s") from error
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError) as error:
            raise Passing(self._hidden(f"the connection failed ({error.__cause__ or error})")) from error

    def _judged(self, error: openai.APIStatusError) -> Exception:
        """What an HTTP error means: try again, ask otherwise, or give up."""
        status, told = error.status_code, self._hidden(_said(error))
        message = f"HTTP {status}: {told}"
        if status in (401, 403):
            return Refused(f"{self._server.name} refused the key ({message}). Check it.", "wrong_key", detail=message)
        if status == 429 and "insufficient_quota" in str(error.body):
            return Refused(f"{self._server.name} has no credit left ({message}).", "no_credit", detail=message)
        if status in _BUSY:
            return Passing(message, _retry_after(error.response.headers), busy=True)
        if status in _PASSING:
            return Passing(message)
        if status >= 500 and status != 501:
            return Passing(message, tries=GARBLED)
        return Rejected(status, message, tuple(self._hidden(name) for name in _names(error.body)))

    def _hidden(self, text: str) -> str:
        """The text without the key, which some servers repeat."""
        return text.replace(self._key, "•••") if len(self._key) > 3 else text


def _read(data: bytes) -> Raw:
    """A whole reply; raises Passing where it is not what it should be."""
    try:
        answer: Any = json.loads(data)
        choice: Any = answer["choices"][0]
        message: Any = choice["message"]
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        shown = " ".join(data[:200].decode("utf-8", "replace").split())
        raise Passing(f"the reply is not a chat completion ({shown or 'empty'})", tries=GARBLED) from error
    if not isinstance(message, dict):
        raise Passing("the reply holds no message", tries=GARBLED)
    return Raw(cast(Json, message), str(choice.get("finish_reason") or "stop"), *_usage(answer))


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
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _events(chunks: Iterator[bytes]) -> Iterator[Json]:
    """The events of a stream; a server that does not stream gives its whole reply as one."""
    rest = b""
    for chunk in chunks:
        rest += chunk
        if not _is_whole(rest):
            *lines, rest = rest.split(b"\n")
            yield from map(_event, filter(_is_event, lines))
    if _is_event(rest):
        yield _event(rest)
    elif _is_whole(rest):
        raw = _read(rest)
        choice = {"delta": raw.message, "finish_reason": raw.finish}
        yield {"choices": [choice], "usage": json.loads(rest).get("usage")}


def _is_whole(data: bytes) -> bool:
    return data.lstrip()[:1] in (b"{", b"<")


def _is_event(line: bytes) -> bool:
    return line.startswith(b"data:") and line[5:].strip() not in (b"", b"[DONE]")


def _event(line: bytes) -> Json:
    try:
        event: Any = json.loads(line[5:])
    except ValueError as error:
        raise Passing("a piece of the stream cannot be read", tries=GARBLED) from error
    if not isinstance(event, dict) or "error" in event:
        raise Passing(f"the stream broke off ({str(cast(Any, event))[:200]})", tries=GARBLED)
    return cast(Json, event)


def _joined(whole: Raw, event: Json) -> Raw:
    """What is known of the reply after one more event."""
    choices: Any = event.get("choices") or [{}]
    told, used = _usage(event), (whole.prompt_tokens, whole.cached_tokens, whole.completion_tokens)
    return Raw({}, str(choices[0].get("finish_reason") or whole.finish), *(used if told[0] is None else told))


def _delta(event: Json) -> str:
    choices: Any = event.get("choices") or [{}]
    delta: Any = choices[0].get("delta") or {}
    content: Any = delta.get("content")
    return content if isinstance(content, str) else ""


def _said(error: openai.APIStatusError) -> str:
    """The server's own words, in one line."""
    told = _names(error.body)[1:2] or (error.response.text,)
    return " ".join(str(told[0]).split())[:_TOLD]


def _names(body: object) -> tuple[str, ...]:
    """The parameter that a server's error names, then its message; a validation error's places, never its input.

    A web page names nothing: it comes from something in between.
    """
    if not isinstance(body, dict):
        return () if str(body or "").lstrip().startswith("<") else ("", str(body or ""))
    told = cast(Json, body)
    if isinstance(details := told.get("detail"), list):
        rows = [cast(Json, row) for row in cast(list[Any], details) if isinstance(row, dict)]
        places = [" ".join(str(part) for part in row.get("loc") or ()) for row in rows]
        return (
            " ".join(places),
            "; ".join(f"{place}: {row.get('msg')}" for place, row in zip(places, rows, strict=True)),
        )
    return (str(told.get("param") or ""), str(told.get("message") or told.get("detail") or told))


def _retry_after(headers: Any) -> float:
    """Seconds to wait as the server asks for: a number, or a date."""
    told = str(headers.get("retry-after", ""))
    try:
        if (exact := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(exact) / 1000)
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
