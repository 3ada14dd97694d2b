"""A time limit for everything that one reply takes, however slowly a server drips its bytes."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import httpcore2
import httpx2

_PIECE = 2**16  # bytes that are not held back


class _Limit(threading.local):
    """When the work of this thread has to be over, on the clock of `time.monotonic`."""

    until: float | None = None


_LIMIT = _Limit()


def be_done_by(until: float) -> None:
    """From now on nothing that this thread reads or writes by a timed client takes longer than that."""
    _LIMIT.until = until


def timed(client: httpx2.Client) -> httpx2.Client:
    """The client, its connections under the time limit: headers too, which httpx only limits from byte to byte."""
    transports: list[Any] = [getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values()]
    for pool in (getattr(transport, "_pool", None) for transport in transports):
        if backend := getattr(pool, "_network_backend", None):
            setattr(pool, "_network_backend", _Backend(backend))  # noqa: B010
    return client


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    """The seconds that one step may take; raises `error` where none are left."""
    if _LIMIT.until is None:
        return timeout
    left = _LIMIT.until - time.monotonic()
    if left <= 0:
        raise error("the time for the whole reply is over")
    return left if timeout is None else min(timeout, left)


class _Backend(httpcore2.NetworkBackend):
    """Makes connections whose steps obey the limit."""

    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        """A connection to a host."""
        left = _left(timeout, httpcore2.ConnectTimeout)
        return _Stream(self._backend.connect_tcp(host, port, left, local_address, socket_options))

    def sleep(self, seconds: float) -> None:
        """Wait between two tries to connect."""
        self._backend.sleep(seconds)


class _Stream(httpcore2.NetworkStream):
    """A connection whose steps obey the limit."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self._unsent = list[bytes]()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes, once all is sent."""
        if self._unsent:
            with suppress(httpcore2.WriteError):  # a server may answer before it has heard all, and hang up
                self._send(timeout)
        return self._stream.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes; a few are kept until there are more or an answer is wanted, so that a request goes as one."""
        if buffer:
            self._unsent.append(buffer)
        if len(buffer) > _PIECE:
            self._send(timeout)

    def _send(self, timeout: float | None) -> None:
        unsent, self._unsent = b"".join(self._unsent), []
        self._stream.write(unsent, _left(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        """Hang up."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        """The same connection, encrypted."""
        left = _left(timeout, httpcore2.ConnectTimeout)
        if self._unsent:
            self._send(timeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection."""
        return self._stream.get_extra_info(info)
