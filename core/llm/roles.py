"""Which model answers for which role, and on which server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, get_args, runtime_checkable
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator

from core.base.settings import Effort
from core.base.types import Noun, Role
from core.llm.prices import Prices

OPENAI_HOST = "api.openai.com"
ROLES: tuple[Role, ...] = get_args(Role)


class Server(Noun):
    """A model server and the key that goes to it, and to no other ("": it is sent none); times in seconds.

    timeout: for one reply; patience: for one call with all its retries; is_owners: server and key are the owner's, so
    that what the environment says for it (OPENAI_ORG_ID and the like) is sent as well.
    """

    base_url: str
    key: SecretStr = SecretStr("")
    timeout: float = Field(default=120, gt=0)
    patience: float = Field(default=300, gt=0)
    is_owners: bool = False

    @field_validator("base_url")
    @classmethod
    def _usable(cls, url: str) -> str:
        parts = urlsplit(url.strip())
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("not an address such as http://127.0.0.1:11434/v1")
        return url.strip().rstrip("/")

    @property
    def needs_key(self) -> bool:
        """Whether this is OpenAI's own service, which replies to nobody without a key."""
        host = urlsplit(self.base_url).hostname or ""
        return host == OPENAI_HOST or host.endswith(f".{OPENAI_HOST}")

    @property
    def name(self) -> str:
        """The address without user, password and query: what is stored and shown."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}{parts.path}"


class ModelRole(Noun):
    """One model with its settings; `temperature` none and `effort` "" are not sent."""

    server: Server
    model: str = Field(min_length=1)
    temperature: float | None = None
    effort: Effort = ""
    reply_tokens: int = 4096


Roles = Mapping[Role, ModelRole]


@runtime_checkable
class ModelEngine(Protocol):
    """What can be asked of an engine that calls models, without importing it."""

    roles: Roles

    @property
    def models(self) -> dict[str, str]:
        """The model of each role."""
        ...

    @property
    def prices(self) -> Prices:
        """What tokens cost."""
        ...
