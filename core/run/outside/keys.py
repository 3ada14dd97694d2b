"""Keys for bots that exist already: from the owner's environment, each to the hosts that the owner named."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from dotenv import dotenv_values

from core.base.errors import BadInput
from core.base.outside import VARIABLE
from core.base.settings import SECRETS, settings
from core.base.toml import Fault, parse_toml
from core.llm.roles import Server, is_sendable


def secret(name: str, url: str) -> str:
    """The value of an environment variable that may be sent to the address.

    It comes from the environment, `.env` or `.streamlit/secrets.toml`; this machine may be sent any, another host those
    that KIKU_OUTSIDE_KEYS allows it. Raises BadInput.
    """
    host = _host(url)
    if not Server(base_url=url.partition("?")[0]).is_here and not _allowed(name, host):
        told = (
            f"{name} may not be sent to {host[0]} yet. Add {name}@{host[0]} to KIKU_OUTSIDE_KEYS in .env to allow it."
        )
        raise BadInput(told, "outside_key_host", name=name, host=host[0])
    value = os.environ.get(name) or dotenv_values(".env").get(name) or _kept(name)
    if not value.strip():
        told = f"The environment variable {name} is not set. Put the key into the environment, .env or secrets.toml."
        raise BadInput(told, "outside_no_key", name=name)
    if not is_sendable(value.strip()):
        told = f"{name} cannot be sent in a header: use one line of plain letters, digits and signs."
        raise BadInput(told, "outside_bad_key", name=name)
    return value.strip()


def filled(text: str, url: str) -> tuple[str, tuple[str, ...]]:
    """The text with every ${NAME} put in, and the values that were; raises BadInput like `secret`."""
    values = {name: secret(name, url) for name in VARIABLE.findall(text)}
    return VARIABLE.sub(lambda found: values[found[1]], text), tuple(values.values())


def _host(url: str) -> tuple[str, ...]:
    """The host of an address, as it may be written: with its port, and without the usual one."""
    parts = urlsplit(url)
    name = (parts.hostname or "").lower()
    usual = 443 if parts.scheme == "https" else 80
    port = parts.port or usual
    return (name, f"{name}:{port}") if port == usual else (f"{name}:{port}",)


def _allowed(name: str, host: tuple[str, ...]) -> bool:
    listed = re.split(r"[\s,;]+", settings().outside_keys.strip())
    return any(
        f"{name}@{one}" in {f"{a}@{b.lower()}" for a, _, b in (pair.partition("@") for pair in listed)} for one in host
    )


def _kept(name: str) -> str:
    """The value in `.streamlit/secrets.toml`, "" where there is none."""
    try:
        found: dict[str, Any] = parse_toml(SECRETS.read_bytes()) if SECRETS.is_file() else {}
    except (Fault, OSError):  # told where the settings are read
        return ""
    return str(found.get(name, ""))
