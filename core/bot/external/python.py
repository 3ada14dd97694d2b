"""A bot that is a Python function: found in the bot's folder or among the owner's modules, and called with a time
limit."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import importlib.util
import inspect
import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from core.base.call_context import current_context
from core.base.clean_text import clean
from core.base.errors import BadInput, ExternalBotError, Stopped
from core.base.external_bots import PythonBot
from core.base.python_files import describe_error, error_line, helper_files, run_module
from core.base.settings import settings
from core.base.thread_pool import Pool
from core.base.types import Bot
from core.base.visitor_powers import require
from core.bot.external.request import OutgoingMessage

# Seconds between two looks at whether the reply is still wanted.
STOP_POLL_SECONDS = 0.25
_LOG = logging.getLogger(__name__)
_LOCK = threading.RLock()
_LOADED: dict[Path, tuple[str, ModuleType]] = {}


def call(bot: Bot, external: PythonBot, outgoing: OutgoingMessage) -> Any:
    """What the function returns; raises ExternalBotError for whatever it raises, or when it takes too long."""
    require("python")
    function, name = _function(bot, external), external.callable
    try:
        return _in_time(lambda: function(outgoing.text, outgoing.history_messages(), outgoing.conversation), external)
    except (ExternalBotError, Stopped, MemoryError):
        raise
    except BaseException as error:  # also what would end the thread, such as sys.exit()
        _LOG.warning("%s failed", name, exc_info=True)
        file = _file(bot, external)
        line = error_line(error, file) if file else 0
        place = f"{file.name}:{line}" if file and line else name
        problem = f"{name} failed at {place} ({describe_error(error)}). Correct the code."
        raise ExternalBotError(
            problem, "external_raised", function=name, place=place, said=describe_error(error)
        ) from error


def files_of(bot: Bot, external: PythonBot) -> dict[str, str]:
    """The SHA-256 of the function's file and of the files beside it that begin with an underscore, by name."""
    file = _file(bot, external) or _found(external.callable.partition(":")[0])
    if file is None or not file.is_file():
        return {}
    beside = helper_files(file.parent) if file.parent == bot.folder else {}
    sources = {file.name: file.read_bytes(), **beside}
    return {name: hashlib.sha256(source).hexdigest() for name, source in sources.items()}


def _in_time(work: Callable[[], Any], external: PythonBot) -> Any:
    """The result of `work`, made in a thread of its own that nobody waits for after the time limit."""
    until, now = time.monotonic() + external.timeout, current_context()
    pool = Pool(1, f"external-{external.callable}")
    result = pool.submit(_whole, work)
    pool.close()
    while True:
        left = until - time.monotonic()
        if left <= 0:
            message = f"{external.callable} gave no reply within {external.timeout:g} s. Make it faster, or raise the timeout."
            raise ExternalBotError(message, "external_slow", server=external.callable, seconds=f"{external.timeout:g}")
        if now.stopped():
            raise Stopped()
        try:
            return result.result(min(left, STOP_POLL_SECONDS))
        except TimeoutError:
            if result.done():
                raise  # its own


def _whole(work: Callable[[], Any]) -> Any:
    """The result, awaited if the function is asynchronous."""
    found = work()
    return asyncio.run(_awaited(found)) if inspect.isawaitable(found) else found


async def _awaited(found: Any) -> Any:
    return await found


def _function(bot: Bot, external: PythonBot) -> Callable[..., Any]:
    """The function; raises ExternalBotError or BadInput if it cannot be had."""
    module, _, name = external.callable.partition(":")
    found: Any = _own(bot, external) or _listed(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        message = f"{module} has no function {name}. Correct the name or add the function."
        raise ExternalBotError(message, "external_no_function", function=name, module=module)
    return cast("Callable[..., Any]", found)


def _file(bot: Bot, external: PythonBot) -> Path | None:
    """The file of the bot's folder that holds the function, if there is one."""
    module = external.callable.partition(":")[0]
    file = bot.folder / f"{module}.py"
    inside = file.is_file() and file.resolve().is_relative_to(bot.folder.resolve())
    return file if inside and "." not in module else None


def _own(bot: Bot, external: PythonBot) -> ModuleType | None:
    """The module of the bot's folder, run again when it or a file beside it changed; none if there is no such file."""
    file = _file(bot, external)
    if file is None:
        return None
    with _LOCK:
        state = repr(sorted(files_of(bot, external).items()))
        if file not in _LOADED or _LOADED[file][0] != state:
            try:
                _LOADED[file] = (state, run_module(file, file.read_text("utf-8-sig")))
            except MemoryError:
                raise
            except BaseException as error:
                detail, line = describe_error(error), error_line(error, file)
                problem = f"{file.name} could not be loaded (line {line}: {detail}). Correct it and try again."
                raise ExternalBotError(
                    problem, "external_not_loaded", file=file.name, line=line, said=detail
                ) from error
        return _LOADED[file][1]


def _listed(module: str) -> ModuleType:
    """A module from Python's path, if the owner allows it; raises BadInput or ExternalBotError."""
    if module not in settings().external_modules:
        problem = (
            f"There is no {module}.py in the bot's folder. Add it, or add the module to KIKU_EXTERNAL_MODULES in .env."
        )
        raise BadInput(problem, "external_no_module", module=module)
    try:
        return importlib.import_module(module)
    except MemoryError:
        raise
    except BaseException as error:
        problem = f"{module} could not be loaded ({describe_error(error)}). Correct it and try again."
        raise ExternalBotError(
            problem, "external_not_loaded", file=module, line=0, said=clean(describe_error(error))
        ) from error


def _found(module: str) -> Path | None:
    """Where a module of Python's path lies."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return Path(spec.origin) if spec and spec.origin else None
