"""Chroma: one client for each folder or server, opened once by a process."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chromadb
import httpx
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import ChromaError

from core.base.errors import BadInput

WAIT = 60.0  # seconds for one answer of a server
_OPENING = threading.Lock()


class ChromaGone(BadInput):
    """The Chroma server was lost, is not there, or refuses."""


def chroma_client(folder: Path) -> Any:
    """The process's one client for a folder (Chroma breaks when one path is opened twice at a time)."""
    with _OPENING:
        return _client(folder)


def chroma_server(url: str, token: str = "") -> Any:
    """The process's one client for a server; raises BadInput where it cannot be reached."""
    with _OPENING:
        try:
            return _server(url, token)
        except Exception as error:  # whatever listens there may answer in any way
            raise _gone(url, error) from error


@contextmanager
def answering(url: str) -> Generator[None]:
    """A server that is not there, or refuses, becomes a sentence."""
    try:
        yield
    except (httpx.HTTPError, ChromaError) as error:
        raise _gone(url, error) from error


def _gone(url: str, error: Exception) -> ChromaGone:
    detail = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    told = f"The Chroma server {url} cannot be used ({detail}). Start it, or correct KIKU_CHROMA_URL and KIKU_CHROMA_TOKEN."
    return ChromaGone(told, "chroma_gone", address=url, detail=detail)


@cache
def _client(folder: Path) -> Any:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return chromadb.PersistentClient(str(folder), settings=_quiet())
    except Exception as error:  # Chroma raises whatever its Rust core gives
        raise BadInput(
            f"The index folder {folder.name} cannot be used ({error}). Make the data folder writable or set KIKU_DATA_DIR.",
            "data_folder",
            folder=folder.name,
            detail=str(error),
        ) from error


@cache
def _server(url: str, token: str) -> Any:
    parts = urlsplit(url)
    safe = parts.scheme == "https"
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    port = parts.port or (443 if safe else 80)
    client: Any = chromadb.HttpClient(parts.hostname or "", port, ssl=safe, headers=headers, settings=_quiet())
    client._server._session.timeout = WAIT  # as it comes, it waits for ever
    return client


def _quiet() -> ChromaSettings:
    """Settings of a client's own: a client writes its address into them."""
    return ChromaSettings(anonymized_telemetry=False)
