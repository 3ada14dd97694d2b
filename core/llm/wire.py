"""One request to a server and its answer, whatever the server makes of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx2
import openai

from core.llm.clock import be_done_by, timed
from core.llm.errors import Refused
from core.llm.limits import GARBLED, Passing
from core.llm.replies import UNPARSED, Raw, whole
from core.llm.roles import Server
from core.llm.schemas import Json

_PATH = "/chat/completions"
CONNECT = 10.0  # seconds for a connection
_BUSY = (429, 503, 529)
_PASSING = (408, 409, 425, 502, 504)
# What llama.cpp and Groq say when the model's reply, not the request, has the wrong form
_UNPARSED = re.compile(
    r"output that does not match the expected|failed to parse input at pos|json_validate_failed|tool_use_failed",
    re.IGNORECASE,
)
_TOLD = 500  # characters of a server's error that are passed on


class Rejected(Exception):
    """The server will not take the request as it is; `names`: where it says what it objects to, most telling first."""

    def __init__(self, status: int, message: str, names: tuple[str, ...]) -> None:
        super().__init__(message)
        self.status, self.names = status, names


class _Unparsed(Exception):
    """The server could not read what its model wrote; `raw` is as much of it as it tells."""

    def __init__(self, message: str, written: str) -> None:
        super().__init__(message)
        self.raw = Raw({"role": "assistant", "content": written, "error": message}, UNPARSED)


class _Alone(openai.OpenAI):
    """A client that sends nothing of the environment's: its organization and headers are for the owner's server."""

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """What describes the request and the client."""
        plain = ("accept", "content-type", "user-agent")
        return {name: value for name, value in super().default_headers.items() if name.lower() in plain}


def _headers(server: Server, key: str, http: httpx2.Client) -> dict[str, str]:
    """What the usual client sends along, worked out once; without a key no Authorization of its own."""
    kind = openai.OpenAI if server.is_owners else _Alone
    client = kind(base_url=server.base_url, api_key=key or "none", http_client=http)  # it needs some word
    headers = {**(client.auth_headers if key else {}), **client.default_headers}
    return {name: value for name, value in headers.items() if isinstance(value, str)}


class Wire:
    """Sends requests to one server; safe to share between threads. Retries are for the caller to make."""

    def __init__(self, server: Server) -> None:
        self._server, self._key = server, server.key.get_secret_value()
        timeout = httpx2.Timeout(server.timeout, connect=min(CONNECT, server.timeout))
        self._http = timed(openai.DefaultHttpxClient(timeout=timeout))
        self._headers = _headers(server, self._key, self._http)
        base = httpx2.URL(server.base_url)
        self._url = base.copy_with(path=base.path.rstrip("/") + _PATH)

    def reply(self, body: Json) -> Raw:
        """The whole reply; raises Passing, Rejected or Refused."""
        try:
            return _read(b"".join(self._bytes(body)))
        except _Unparsed as error:
            return error.raw

    def pieces(self, body: Json) -> Generator[str, None, Raw]:
        """The reply's text in pieces as they come, at last all of it; raises Passing, Rejected or Refused."""
        text: list[str] = []
        refusal = ""
        heard = Raw(message={}, finish="")
        try:
            for event in _events(self._bytes({**body, "stream": True})):
                heard = _joined(heard, event)
                refusal += _delta(event, "refusal")
                if piece := _delta(event, "content"):
                    text.append(piece)
                    yield piece
        except _Unparsed as error:
            return error.raw
        if not heard.finish:
            raise Passing("the stream broke off", tries=GARBLED)
        message: Json = {"role": "assistant", "content": "".join(text), **({"refusal": refusal} if refusal else {})}
        return Raw(message, heard.finish, heard.prompt_tokens, heard.cached_tokens, heard.completion_tokens)

    def _bytes(self, body: Json) -> Iterator[bytes]:
        """The body of the server's answer as it comes, headers and all within the time-out however slowly it drips."""
        until = time.monotonic() + self._server.timeout
        be_done_by(until)
        try:
            # not through the client, which spends a third of a call's time on making the request anew
            with self._http.stream("POST", self._url, content=_dumped(body), headers=self._headers) as answer:
                if answer.status_code >= 400:
                    raise self._judged(answer)
                for chunk in answer.iter_bytes():
                    yield chunk
                    be_done_by(until)  # whoever took the chunk may have sent something else meanwhile
        except UnicodeEncodeError as error:
            told = f"{self._server.name} cannot be sent such a key: keys are of plain letters and digits. Check it."
            raise Refused(told, "wrong_key", detail="a-z, A-Z, 0-9") from error
        except httpx2.TimeoutException as error:
            told = f"no whole reply within {self._server.timeout:g} s"
            raise Passing(told, absent=isinstance(error, httpx2.ConnectTimeout)) from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            told = self._hidden(f"the connection failed ({error})")
            raise Passing(told, absent=isinstance(error, httpx2.ConnectError)) from error

    def _judged(self, answer: httpx2.Response) -> Exception:
        """What an HTTP error means: try again, ask otherwise, or give up."""
        status, text = answer.status_code, answer.read().decode("utf-8", "replace")
        body = _fault(text)
        message = f"HTTP {status}: {self._hidden(_said(body, text))}"
        if status in (401, 403):
            return Refused(f"{self._server.name} refused the key ({message}). Check it.", "wrong_key", detail=message)
        if status == 429 and "insufficient_quota" in str(body):
            return Refused(f"{self._server.name} has no credit left ({message}).", "no_credit", detail=message)
        if status == 400 and _is_filtered(body):
            return Refused(f"{self._server.name} withheld the reply ({message}).", "declined", problem=message)
        if status in (400, 500) and _UNPARSED.search(str(body)):
            return _Unparsed(message, _written(body))
        if status in _BUSY:
            return Passing(message, _retry_after(answer.headers), busy=True)
        if status in _PASSING:
            return Passing(message)
        if status >= 500 and status != 501:
            return Passing(message, tries=GARBLED)
        return Rejected(status, message, tuple(self._hidden(name) for name in _names(body)))

    def _hidden(self, text: str) -> str:
        """The text without the key, which some servers repeat."""
        return text.replace(self._key, "•••") if len(self._key) > 3 else text


def _read(data: bytes) -> Raw:
    """A whole reply; raises Passing where it is not what it should be."""
    try:
        answer = _loaded(data)
        choice: Any = answer["choices"][0]
        message: Any = choice["message"]
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        shown = " ".join(data[:200].decode("utf-8", "replace").split())
        raise Passing(f"the reply is not a chat completion ({shown or 'empty'})", tries=GARBLED) from error
    if not isinstance(message, dict):
        raise Passing("the reply holds no message", tries=GARBLED)
    return Raw(cast(Json, message), str(choice.get("finish_reason") or "stop"), *_usage(answer))


def _dumped(body: Json) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _loaded(data: bytes) -> Any:
    """The JSON, half characters replaced."""
    read: Any = json.loads(data)
    return whole(read) if b"\\ud" in data or b"\\uD" in data else read


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
        event = _loaded(line[5:])
    except ValueError as error:
        raise Passing("a piece of the stream cannot be read", tries=GARBLED) from error
    if not isinstance(event, dict) or "error" in event:
        raise Passing(f"the stream broke off ({str(cast(Any, event))[:200]})", tries=GARBLED)
    return cast(Json, event)


def _joined(heard: Raw, event: Json) -> Raw:
    """What is known of the reply after one more event."""
    choices: Any = event.get("choices") or [{}]
    told, used = _usage(event), (heard.prompt_tokens, heard.cached_tokens, heard.completion_tokens)
    return Raw({}, str(choices[0].get("finish_reason") or heard.finish), *(used if told[0] is None else told))


def _delta(event: Json, name: str) -> str:
    """What an event adds to the reply's "content" or "refusal"."""
    choices: Any = event.get("choices") or [{}]
    delta: Any = choices[0].get("delta") or {}
    piece: Any = delta.get(name)
    return piece if isinstance(piece, str) else ""


def _fault(text: str) -> object:
    """What a server says of an error: its "error" where there is one, else all it says; the text where it is no JSON."""
    try:
        told: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return cast(Json, told).get("error", cast(object, told)) if isinstance(told, dict) else told


def _said(body: object, text: str) -> str:
    """The server's own words, in one line."""
    told = _names(body)[1:2] or (text,)
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


def _written(body: object) -> str:
    """What the model wrote, where a server's error tells it."""
    told = cast(Json, body) if isinstance(body, dict) else {}
    return str(told.get("failed_generation") or "")


def _is_filtered(body: object) -> bool:
    """Whether a server's error says that a filter stopped the request."""
    told = cast(Json, body) if isinstance(body, dict) else {}
    return any("content_filter" in str(told.get(name) or "") for name in ("code", "type"))


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
