"""Ports of loopback, and small servers on them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], **fields: Any) -> Generator[int]:
    """The port of a server that answers by a handler with these fields, while it runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (handler,), fields))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
