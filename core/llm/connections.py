"""Connections to one server that stay open from one request to the next.

The usual client's pool looks at each of its connections at every request: with 64 at once that takes longer than to send
and to read. Here the one used last is taken. How a connection is made (proxy, certificates, time limits) and how HTTP is
spoken on it is the client's as before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2

SPARE = 100  # connections that wait for a next request
EXPIRY = 5.0  # seconds that they wait
Fields = Sequence[tuple[bytes, bytes]]
FAILED = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
)  # with httpcore2.TimeoutException all that can go wrong on a connection


class Answer:
    """A server's answer, of which the body is still to be read."""

    def __init__(self, given: httpcore2.Response, url: httpx2.URL) -> None:
        self._given, self._url = given, url
        self.status_code = given.status
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in given.headers}

    @property
    def charset_encoding(self) -> str | None:
        """The encoding of the text, where the answer tells it."""
        return _charset(self.headers.get("content-type", ""))

    def iter_raw(self) -> Iterator[bytes]:
        """The body as it comes."""
        return self._given.iter_stream()

    def head(self) -> httpx2.Response:
        """Status, headers and request, as the usual client has them."""
        request = httpx2.Request("POST", self._url)
        return httpx2.Response(self.status_code, headers=self._given.headers, request=request)


class Connections:
    """Sends to one address; safe to share between threads. As many connections as requests at a time."""

    def __init__(self, client: httpx2.Client, url: httpx2.URL) -> None:
        transport: Any = getattr(client, "_transport_for_url")(url)  # noqa: B009
        self._client, self._pool, self._url = client, transport._pool, url
        self._target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        self._spare: deque[tuple[float, httpcore2.ConnectionInterface]] = deque()

    @contextmanager
    def post(self, fields: Fields, body: bytes, timeouts: dict[str, float | None]) -> Generator[Answer]:
        """The answer to a request; raises FAILED and httpcore2.TimeoutException."""
        length = (b"Content-Length", str(len(body)).encode())
        request = httpcore2.Request(
            b"POST", self._target, headers=[*fields, length], content=body, extensions={"timeout": timeouts}
        )
        connection = self._taken()
        try:
            answer = connection.handle_request(request)
            try:
                yield Answer(answer, self._url)
            finally:
                answer.close()
        finally:
            self._give_back(connection)

    def _taken(self) -> httpcore2.ConnectionInterface:
        """The connection that was used last and is still open, else a new one."""
        while self._spare:
            try:
                _, connection = self._spare.pop()
            except IndexError:  # another thread was quicker
                break
            if not connection.has_expired():
                return connection
            connection.close()
        return self._pool.create_connection(self._target.origin)

    def _give_back(self, connection: httpcore2.ConnectionInterface) -> None:
        """Keep a connection whose answer was read to its end; close others, and those that waited too long."""
        if not connection.is_idle() or connection.is_closed():
            connection.close()
            return
        now = time.monotonic()
        self._spare.append((now, connection))
        while self._spare:
            try:
                since, oldest = self._spare.popleft()
            except IndexError:
                return
            if now - since <= EXPIRY and len(self._spare) < SPARE:
                self._spare.appendleft((since, oldest))
                return
            oldest.close()


@lru_cache(maxsize=64)
def _charset(content_type: str) -> str | None:
    return httpx2.Response(200, headers={"content-type": content_type}).charset_encoding
