"""The models of a server and the features it supports, found out while a user waits."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial

import httpx2

from core.base.calls import CallLog, ServerFeatures
from core.base.errors import BadInput, ModelError, TransientError
from core.base.http import http_client
from core.base.json_data import as_object, objects_of
from core.base.prompt import Engine
from core.base.servers import Server
from core.base.thread_pool import run_with_timeout
from core.base.types import Role
from core.llm.roles import ModelEngine, ModelRole

PROBE_SECONDS, LIST_SECONDS = 45.0, 4.0  # seconds that a user waits for the probes of all models, and for their list
REPLY_SECONDS, RETRY_SECONDS = 20.0, 8.0  # for one reply of a probe, and for trying again
MAX_BYTES, MAX_MODELS, MAX_NAME = 2_000_000, 60, 200  # of a reply, names in the list, characters of a name
ProbeResult = ServerFeatures | BadInput | None  # None: no answer in time


def probe(engine: Engine | ModelEngine, log: CallLog, model: str = "") -> dict[str, ProbeResult]:
    """{model: what its server can do with it, or why that is not known} for each model of the engine, or only one."""
    from core.llm.openai_engine import OpenAIEngine  # brings the client: only if it is wanted

    assert isinstance(engine, OpenAIEngine)
    brief = {"timeout": REPLY_SECONDS, "patience": RETRY_SECONDS}
    roles: dict[Role, ModelRole] = {
        role: role_model.model_copy(update={"server": role_model.server.model_copy(update=brief)})
        for role, role_model in engine.roles.items()
    }
    probing = OpenAIEngine(roles, log, engine.prices)
    role_of: dict[str, Role] = {
        role_model.model: role for role, role_model in roles.items() if model in ("", role_model.model)
    }
    done = run_with_timeout({model: partial(probing.probe, role) for model, role in role_of.items()}, PROBE_SECONDS)
    return {model: _result(done.get(model)) for model in role_of}


def _result(future: Future[ServerFeatures] | None) -> ProbeResult:
    if future is None:
        return None
    error = future.exception()
    if isinstance(error, ModelError):
        return BadInput(str(error), error.key, **error.details)
    if error:
        raise error
    return future.result()


def list_models(server: Server) -> list[str]:
    """The names of the server's models; empty if it does not list them within a few seconds.

    The server's key is sent to its own address only: redirects are not followed.
    """
    done = run_with_timeout({"models": partial(_read_models, server)}, LIST_SECONDS).get("models")
    try:
        return done.result() if done else []
    except (httpx2.HTTPError, httpx2.InvalidURL, BadInput, TransientError, ValueError, RecursionError):
        return []


def _read_models(server: Server) -> list[str]:
    key = server.key.get_secret_value()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    base = httpx2.URL(server.base_url)
    address = base.copy_with(path=f"{base.path.rstrip('/')}/models")  # a query stays where it is
    with http_client(server.model_copy(update={"timeout": LIST_SECONDS}), MAX_BYTES) as client:
        answer = client.get(address, headers=headers)
    return _names(answer.json()) if answer.status_code == 200 else []


def _names(reply: object) -> list[str]:
    """The names that can be shown and sent again, each once; those that differ in spaces only are one."""
    names = {_name(row.get("id")) for row in objects_of(as_object(reply).get("data"))}
    return sorted(names - {""})[:MAX_MODELS]


def _name(name: object) -> str:
    """A model's name for display; "" for an invalid one."""
    if not isinstance(name, str) or len(name) > MAX_NAME or not name.strip().isprintable():
        return ""
    return " ".join(name.split())
