"""A server to send requests to: its address, its key, and how long to wait for it."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from core.base.frozen_model import FrozenModel
from core.base.http_rules import is_http_address, is_sendable

OPENAI_HOST = "api.openai.com"


class Server(FrozenModel):
    """A server, and the key that is sent to it and to no other."""

    base_url: str
    key: SecretStr = SecretStr("")  # "": no key is sent
    timeout: float = Field(default=120, gt=0)  # seconds for one reply
    patience: float = Field(default=300, gt=0)  # seconds for one call with all its retries
    is_owners: bool = False  # server and key are the owner's, so that OPENAI_ORG_ID and the like are sent as well

    @field_validator("base_url")
    @classmethod
    def _usable(cls, url: str) -> str:
        url = url.strip().rstrip("/")
        if not is_http_address(url):
            raise ValueError("not an address such as http://127.0.0.1:11434/v1")
        return url

    @field_validator("key")
    @classmethod
    def _sendable(cls, key: SecretStr) -> SecretStr:
        secret = key.get_secret_value().strip()
        if not is_sendable(secret):
            raise ValueError("not a key: keys are one line of plain letters, digits and signs")
        return SecretStr(secret)

    @property
    def is_here(self) -> bool:
        """Whether the server runs on this machine, so that no proxy is used."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost" or host.endswith(".localhost")

    @property
    def needs_key(self) -> bool:
        """Whether this is OpenAI's own service, which rejects requests without a key."""
        host = urlsplit(self.base_url).hostname or ""
        return host == OPENAI_HOST or host.endswith(f".{OPENAI_HOST}")

    @property
    def name(self) -> str:
        """The address without user, password and query: what is stored and shown."""
        return _name(self.base_url)


@lru_cache(maxsize=256)
def _name(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}{parts.path}"
