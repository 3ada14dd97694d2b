"""Rules of HTTP: valid addresses, valid names and values of headers; and which names stand for secrets."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import httpx2

_SECRET = re.compile(r"auth|cookie|credential|key|pass|secret|token", re.IGNORECASE)


def is_header_name(text: str) -> bool:
    """Whether a header can have the name (a token of RFC 9110)."""
    return re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text) is not None


def is_sendable(text: str) -> bool:
    """Whether a header can have the text as its value: printable ASCII."""
    return re.fullmatch(r"[\x20-\x7e]*", text) is not None


def is_secret_name(name: str) -> bool:
    """Whether a header or environment variable of that name is likely to be a secret."""
    return _SECRET.search(name) is not None


def is_http_address(url: str) -> bool:
    """Whether HTTP requests can be sent to the address."""
    try:
        parts, read = urlsplit(url), httpx2.URL(url)
        read.host.encode("idna")
        port = parts.port
    except (ValueError, httpx2.InvalidURL):
        return False
    plain = not re.search(r"[\s\x00-\x1f\x7f\\]", url)
    return plain and parts.scheme in ("http", "https") and bool(read.host) and port != 0
