"""Addresses of the servers behind Kiku: what may stand in a setting, and how it is shown."""

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
    """A database's address for SQLAlchemy, "" for none; raises ValueError, which never holds what was given."""
    text = text.strip()
    if not text or text.startswith("sqlite:///"):
        return text
    parts = _parts(text, DATABASE_FORM)
    if parts.scheme not in DATABASES or not parts.path.strip("/") or "@" in parts.path:
        raise ValueError(f"it should look like {DATABASE_FORM}, with / in a password as %2F")
    return urlunsplit(parts._replace(scheme=POSTGRES))


def chroma_address(text: str) -> str:
    """A Chroma server's address without a slash at its end, "" for none; raises ValueError as `database_address`."""
    text = text.strip().rstrip("/")
    if not text:
        return ""
    parts = _parts(text, CHROMA_FORM)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError(f"it should look like {CHROMA_FORM}")
    if parts.path or parts.query or parts.fragment:
        raise ValueError(f"it should look like {CHROMA_FORM}, with nothing after the port")
    return text


def scheduler_address(text: str) -> str:
    """A Dask scheduler's address, "" for none; raises ValueError as `database_address`."""
    text = text.strip().rstrip("/")
    if not text:
        return ""
    parts = _parts(text, SCHEDULER_FORM)
    rest = parts.path or parts.query or parts.fragment
    if parts.scheme not in ("tcp", "tls") or not parts.hostname or not parts.port or parts.username is not None or rest:
        raise ValueError(f"it should look like {SCHEDULER_FORM}")
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
