"""What the servers of an engine can do, found out while somebody waits: side by side, and never for long."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from core.base.calls import Abilities
from core.base.errors import BadInput
from core.base.prompt import Engine
from core.base.types import Role
from core.llm.errors import ModelError
from core.llm.occasion import SOON, on
from core.store.store import Store

if TYPE_CHECKING:
    from core.llm.openai import OpenAIEngine

SECONDS = 45.0  # that somebody waits for all of them
REPLY, PATIENCE = 20.0, 8.0  # seconds for one reply, and for trying again
Found = Abilities | BadInput | None  # none: no answer in time


def probe(engine: Engine, store: Store, model: str = "", seconds: float = SECONDS) -> dict[str, Found]:
    """{model: what its server can do with it, or why that is not known} for each model of the engine, or only one."""
    from core.llm.openai import OpenAIEngine  # brings the client: only where it is wanted

    assert isinstance(engine, OpenAIEngine)
    brief = {"timeout": REPLY, "patience": PATIENCE}
    roles = {
        role: one.model_copy(update={"server": one.server.model_copy(update=brief)})
        for role, one in engine.roles.items()
    }
    quick = OpenAIEngine(roles, store, engine.prices)
    wanted: dict[str, Role] = {one.model: role for role, one in roles.items() if model in ("", one.model)}
    return _side_by_side(quick, wanted, seconds)


def _side_by_side(engine: OpenAIEngine, wanted: dict[str, Role], seconds: float) -> dict[str, Found]:
    stopped, pool = threading.Event(), ThreadPoolExecutor(4, "probe")
    work = {model: pool.submit(_one, engine, role, stopped) for model, role in wanted.items()}
    wait(work.values(), seconds)
    stopped.set()
    pool.shutdown(wait=False, cancel_futures=True)
    return {model: _result(found) for model, found in work.items()}


def _one(engine: OpenAIEngine, role: Role, stopped: threading.Event) -> Abilities:
    with on(stopped=stopped.is_set, absent=SOON):
        return engine.probe(role)


def _result(found: Future[Abilities]) -> Found:
    if not found.done() or found.cancelled():
        return None
    error = found.exception()
    if isinstance(error, ModelError):
        return BadInput(str(error), error.key, **error.details)
    if error:
        raise error
    return found.result()
