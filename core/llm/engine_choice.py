"""The engine that the settings ask for, and the one that a visitor's own key pays for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import SecretStr, ValidationError

from core.base.calls import CallLog
from core.base.errors import BadInput
from core.base.servers import Server
from core.base.settings import Settings
from core.base.types import Role
from core.llm.openai_engine import OpenAIEngine
from core.llm.prices import Prices, read_prices
from core.llm.roles import ROLES, ModelRole, Roles

TEMPERATURES: Mapping[Role, float] = {"bot": 0.0, "clarify": 0.0, "user": 0.7, "judge": 0.0}


def openai_engine(settings: Settings, log: CallLog, prices: Prices | None = None) -> OpenAIEngine:
    """The engine on the owner's server, with the owner's key if there is one.

    A server of one's own need not ask for a key; OpenAI's service does. Raises BadInput if the server's address, its key
    or a model's name is missing or cannot be used.
    """
    server = _server(settings, settings.base_url, settings.openai_api_key).model_copy(update={"is_owners": True})
    if server.needs_key and not server.key.get_secret_value():
        raise BadInput(
            "There is no key for OpenAI. Set OPENAI_API_KEY, or set OPENAI_BASE_URL to a server that needs no key, "
            "or set KIKU_ENGINE=embedded.",
            "no_key",
        )
    return OpenAIEngine(_roles(settings, server), log, prices or read_prices(), settings.cache)


class OwnServer(NamedTuple):
    """A visitor's choice for a session; an empty value means the owner's."""

    base_url: str = ""  # the server's address
    key: str | SecretStr = ""
    models: Mapping[Role, str] = {}


def session_engine(settings: Settings, log: CallLog, own: OwnServer, prices: Prices | None = None) -> OpenAIEngine:
    """The engine for one visitor's session.

    The owner's key goes to the owner's address only. Another address needs a key of its own (any word), so that
    visitors cannot make this server call random addresses; raises BadInput without one.
    """
    named = {f"{role}_model": model.strip() for role, model in own.models.items() if model.strip()}
    settings = settings.model_copy(update=named)
    key = own.key if isinstance(own.key, SecretStr) else SecretStr(own.key)
    server = _server(settings, own.base_url.strip() or settings.base_url, key)
    if not server.key.get_secret_value():
        if server.base_url != _server(settings, settings.base_url, key).base_url:
            message = f"This server's key is not sent to {server.name}. Enter your own key for that URL."
            raise BadInput(message, "own_key_needed", server=server.name)
        return openai_engine(settings, log, prices)
    return OpenAIEngine(_roles(settings, server), log, prices or read_prices(), settings.cache)


def roles_of(settings: Settings) -> dict[Role, dict[str, Any]]:
    """The settings of each role: model ("" if none is set), temperature and effort; without keys."""

    def of(role: Role, name: str) -> Any:
        return getattr(settings, f"{role}_{name}")

    general = TEMPERATURES if settings.temperature is None else dict.fromkeys(ROLES, settings.temperature)
    return {
        role: {
            "model": of(role, "model").strip() or settings.model.strip(),
            "temperature": general[role] if of(role, "temperature") is None else of(role, "temperature"),
            "effort": of(role, "effort") or settings.effort,
        }
        for role in ROLES
    }


def _roles(settings: Settings, server: Server) -> Roles:
    roles: dict[Role, ModelRole] = {}
    for role, chosen in roles_of(settings).items():
        if not chosen["model"]:
            name = f"KIKU_{role.upper()}_MODEL"
            message = f"No model is set for the role {role!r}. Set KIKU_MODEL for all roles, or {name}."
            raise BadInput(message, "no_model", role=role, name=name)
        roles[role] = ModelRole(server=server, max_tokens=settings.max_tokens, **chosen)
    return roles


def _server(settings: Settings, base_url: str, key: SecretStr) -> Server:
    try:
        return Server(base_url=base_url, key=key, timeout=settings.timeout, patience=settings.patience)
    except ValidationError as error:
        if "key" in {place for problem in error.errors() for place in problem["loc"]}:
            raise BadInput(
                "The key has characters that cannot be sent. "
                "Use one line of ASCII letters, digits and signs; copy it again.",
                "bad_key",
            ) from None
        head, slashes, address = base_url.partition("//")
        shown = f"{head}{slashes}{address.rpartition('@')[2]}"  # without user and password
        message = f"The model server's URL {shown!r} is not valid. Use one such as http://127.0.0.1:11434/v1."
        raise BadInput(message, "bad_address", url=shown) from None
