"""Addresses of the servers behind Kiku: which forms a setting accepts, and how an address is shown."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

POSTGRES = "postgresql+psycopg"
DATABASES = ("postgresql", "postgres", POSTGRES)
DATABASE_FORM = "postgresql://user:password@host:5432/database"
CHROMA_FORM = "http://127.0.0.1:8000"
SCHEDULER_FORM = "tcp://127.0.0.1:8786"
KEY_HOST_FORM = "HELP_KEY@help.example.com"
_KEY_HOST = re.compile(r"[A-Za-z_]\w*@[^\s@/\\]+")
HIDDEN = "***"


def database_address(text: str) -> str:
    """A database's address for SQLAlchemy, "" for none; raises ValueError, whose message never has the address."""
    text = text.strip()
    if not text or text.startswith("sqlite:///"):
        return text
    parts = _parts(text, DATABASE_FORM)
    if parts.scheme not in DATABASES or not parts.path.strip("/") or "@" in parts.path:
        raise ValueError(f"it should look like {DATABASE_FORM}, with / in a password as %2F")
    return urlunsplit(parts._replace(scheme=POSTGRES))


def chroma_address(text: str) -> str:
    """A Chroma server's address without a slash at its end, "" for none; raises ValueError as `database_address`."""
    return _server_address(text, CHROMA_FORM, ("http", "https"))


def scheduler_address(text: str) -> str:
    """A Dask scheduler's address, which needs a port, "" for none; raises ValueError as `database_address`."""
    return _server_address(text, SCHEDULER_FORM, ("tcp", "tls"), needs_port=True)


def _server_address(text: str, form: str, schemes: tuple[str, ...], needs_port: bool = False) -> str:
    if not (text := text.strip().rstrip("/")):
        return ""
    parts = _parts(text, form)
    lacks_port = needs_port and not parts.port
    if parts.scheme not in schemes or not parts.hostname or lacks_port or parts.username is not None:
        raise ValueError(f"it should look like {form}")
    if parts.path or parts.query or parts.fragment:
        raise ValueError(f"it should look like {form}, with nothing after the port")
    return text


def key_host(entry: str) -> str:
    """NAME@host, which key may go where, its host in lower case; raises ValueError as `database_address`."""
    if not _KEY_HOST.fullmatch(entry):
        raise ValueError(f"entries should look like {KEY_HOST_FORM}: a variable's name, not the key itself")
    variable, _, host = entry.partition("@")
    return f"{variable}@{host.lower()}"


def display_address(address: str) -> str:
    """An address without its password and its options, to be shown."""
    parts = urlsplit(address)
    if parts.scheme == "sqlite":
        return address
    scheme = "postgresql" if parts.scheme in DATABASES else parts.scheme
    who = f"{parts.username}{f':{HIDDEN}' if parts.password else ''}@" if parts.username else ""
    return urlunsplit((scheme, who + parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _parts(text: str, form: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:  # its message would show the password
        raise ValueError(f"it should look like {form}") from None
    return parts
