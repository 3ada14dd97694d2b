"""The models that a server says it has; for suggestions only, so that no answer is fine, too."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from typing import Any

import httpx2

from core.llm.roles import Server

SECONDS = 4.0
BYTES, NAMES = 2_000_000, 60  # no more is read, and shown


def listed(server: Server) -> list[str]:
    """The names of the server's models, empty where it does not tell them within a few seconds.

    The server's key goes along, to its own address only: a redirection is not followed.
    """
    pool = ThreadPoolExecutor(1, "models")
    try:
        return pool.submit(_read, server).result(SECONDS)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, TimeoutError):
        return []
    finally:
        pool.shutdown(wait=False)


def _read(server: Server) -> list[str]:
    key = server.key.get_secret_value()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data = b""
    with httpx2.stream("GET", f"{server.base_url}/models", headers=headers, timeout=SECONDS) as answer:
        if answer.status_code != 200:
            return []
        for chunk in answer.iter_bytes():
            data += chunk
            if len(data) > BYTES:
                return []
    return _names(json.loads(data))


def _names(told: Any) -> list[str]:
    rows = told.get("data") if isinstance(told, dict) else None
    names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return sorted({name for name in names if isinstance(name, str) and name.strip()})[:NAMES]
