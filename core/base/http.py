"""Requests to a server that may be slow, huge, odd or hostile: bounded replies, and the meaning of its error
replies."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, cast

import httpx2

from core.base.errors import BadInput, TransientError
from core.base.json_data import Json, as_object, objects_of
from core.base.redact import Redactor
from core.base.servers import Server

CONNECT_TIMEOUT = 10.0  # seconds
MALFORMED_TRIES = 5  # tries if the server's replies make no sense
_MAX_ERROR_BYTES = 2**16  # bytes of an error reply that are read
_MAX_MESSAGE_CHARACTERS = 500  # characters of a server's error that are passed on
_BUSY = (429, 503, 529)
_TEMPORARY = (408, 409, 425, 502, 504)
_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")


class TooLarge(TransientError):
    """A reply of more bytes than are read; asking again would not make it smaller."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the reply is longer than {most // 2**20} MB", tries=1)


class BoundedClient(httpx2.Client):
    """A client that reads at most `max_bytes` (unpacked) of a reply, until `timeout` seconds after it was asked.

    Of an error reply only the beginning is read. Redirects are not followed. Raises httpx2.TimeoutException and
    TooLarge.
    """

    def __init__(self, timeout: float, max_bytes: int, **options: Any) -> None:
        super().__init__(
            timeout=httpx2.Timeout(timeout, connect=min(CONNECT_TIMEOUT, timeout)),
            limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=100),
            follow_redirects=False,
            **options,
        )
        self._seconds, self._max_bytes = timeout, max_bytes

    def send(self, request: httpx2.Request, *, stream: bool = False, **options: Any) -> httpx2.Response:
        """The reply to a request."""
        until = time.monotonic() + self._seconds
        reply = super().send(request, stream=True, **options)
        headers = reply.headers.copy()
        headers.pop("content-encoding", None)  # the body is unpacked already
        body = _BoundedBody(reply, until, self._max_bytes)
        bounded = httpx2.Response(
            reply.status_code, headers=headers, stream=body, request=request, extensions=reply.extensions
        )
        if not stream:
            bounded.read()
        return bounded


class _BoundedBody(httpx2.SyncByteStream):
    def __init__(self, reply: httpx2.Response, until: float, max_bytes: int) -> None:
        self._reply, self._until, self._max_bytes = reply, until, max_bytes

    def __iter__(self) -> Iterator[bytes]:
        size, is_error = 0, self._reply.status_code >= 300
        for chunk in self._reply.iter_bytes():
            size += len(chunk)
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the time for the whole reply is over")
            if size > self._max_bytes and not is_error:
                raise TooLarge(self._max_bytes)
            yield chunk
            if is_error and size >= _MAX_ERROR_BYTES:
                return

    def close(self) -> None:
        self._reply.close()


def http_client(server: Server, max_bytes: int) -> BoundedClient:
    """A client for one server, which reaches this machine without a proxy; raises BadInput."""
    try:
        if not server.is_here:
            return BoundedClient(server.timeout, max_bytes)
        verify = httpx2.create_ssl_context() if server.base_url.startswith("https") else False
        return BoundedClient(server.timeout, max_bytes, trust_env=False, verify=verify)
    except (ImportError, OSError, ValueError, httpx2.InvalidURL) as error:
        names = ", ".join(name for name in _NETWORK if os.environ.get(name) or os.environ.get(name.lower()))
        message = f"{names or 'The network'} cannot be used ({type(error).__name__}). Correct it in the environment."
        raise BadInput(message, "bad_network", names=names or "—", detail=type(error).__name__) from None


class ErrorReply(NamedTuple):
    """The error reply of a server."""

    status: int
    body: object  # its "error" if there is one, else its JSON or text
    parameter: str  # what the server objects to ("": unknown)
    server_message: str  # ("": unknown)
    message: str  # status and message in one line

    @property
    def fields(self) -> Json:
        """The body's fields, if it has any."""
        return as_object(self.body)


def read_error(response: httpx2.Response, redactor: Redactor) -> ErrorReply:
    """An error reply, with keys redacted."""
    text = redactor.text(response.content.decode("utf-8-sig", "replace"))
    body = _error_of(response.content, text, redactor)
    parameter, server_message = _objection(body)
    words = " ".join((server_message or text).split())[:_MAX_MESSAGE_CHARACTERS]
    message = f"HTTP {response.status_code}: {words}" if words else f"HTTP {response.status_code}"
    return ErrorReply(
        response.status_code, body, parameter, "" if text.lstrip().startswith("<") else server_message, message
    )


def transient_error(response: httpx2.Response, message: str) -> TransientError | None:
    """The error if the next try may succeed, else None."""
    status = response.status_code
    if status in _BUSY:
        return TransientError(message, _retry_after(response.headers), busy=True)
    if status in _TEMPORARY:
        return TransientError(message)
    return TransientError(message, tries=MALFORMED_TRIES) if status >= 500 and status != 501 else None


def redirected_to(response: httpx2.Response, redactor: Redactor) -> str:
    """The scheme and host that a server redirects to; "" if it does not redirect."""
    try:
        target = response.request.url.join(str(response.headers["location"]))
        return redactor.text(f"{target.scheme}://{target.netloc.decode('ascii')}") if response.is_redirect else ""
    except (KeyError, ValueError, httpx2.InvalidURL):
        return ""


def _error_of(data: bytes, text: str, redactor: Redactor) -> object:
    try:
        body: Any = redactor.load_json(data)
    except ValueError:
        return text
    if isinstance(body, list) and body:
        body = cast(list[Any], body)[0]
    return as_object(cast(object, body)).get("error", cast(object, body))


def _objection(body: object) -> tuple[str, str]:
    """(the parameter that an error names or "", its message); of a validation error the places, never its input."""
    if not isinstance(body, dict):
        return "", str(body or "")
    fields = as_object(cast(object, body))
    if isinstance(fields.get("detail"), list):
        rows = objects_of(fields["detail"])
        places = [_place(row.get("loc")) for row in rows]
        messages = (f"{place}: {row.get('msg')}" for place, row in zip(places, rows, strict=True))
        return " ".join(places), "; ".join(messages)
    return str(fields.get("param") or ""), str(fields.get("message") or fields.get("detail") or fields)


def _place(place: object) -> str:
    return " ".join(str(part) for part in cast(list[Any], place)) if isinstance(place, list) else str(place or "")


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the server asks to wait, given as a number or a date."""
    header = headers.get("retry-after", "")
    for value, scale in ((headers.get("retry-after-ms", ""), 1000), (header, 1)):
        try:
            seconds = float(value) / scale
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return 0.0
