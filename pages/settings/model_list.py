"""The models that a server says it has; for suggestions only, so that no answer is fine, too."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from typing import Any

import httpx2

from core.base.servers import Server

SECONDS = 4.0
BYTES, NAMES, LETTERS = 2_000_000, 60, 200  # no more is read, and shown; no longer name


def listed(server: Server) -> list[str]:
    """The names of the server's models, empty where it does not tell them within a few seconds.

    The server's key goes along, to its own address only: a redirection is not followed.
    """
    pool = ThreadPoolExecutor(1, "models")
    try:
        return pool.submit(_read, server).result(SECONDS)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError, TimeoutError):
        return []
    finally:
        pool.shutdown(wait=False)


def _read(server: Server) -> list[str]:
    key = server.key.get_secret_value()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data, base = b"", httpx2.URL(server.base_url)
    address = base.copy_with(path=f"{base.path.rstrip('/')}/models")  # a query stays where it is
    with httpx2.stream("GET", address, headers=headers, timeout=SECONDS) as answer:
        if answer.status_code != 200:
            return []
        for chunk in answer.iter_bytes():
            data += chunk
            if len(data) > BYTES:
                return []
    return _names(json.loads(data))


def _names(told: Any) -> list[str]:
    """The names that can be shown and sent again, each once; those that differ in spaces only are one."""
    rows = told.get("data") if isinstance(told, dict) else None
    names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    found = {name.strip() for name in names if isinstance(name, str) and len(name) <= LETTERS}
    return sorted({" ".join(name.split()) for name in found if name and name.isprintable()})[:NAMES]
