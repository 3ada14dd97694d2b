"""Sending a request to a bot and reading its JSON: within a time and a size, patient, and never sent on elsewhere."""

from __future__ import annotations

import math
import threading
import time
from functools import lru_cache
from typing import Any

import httpx2

from core.base.settings import settings
from core.bot.external.errors import OutsideError
from core.bot.external.request import Request
from core.llm.body import unpacked
from core.llm.clock import be_done_by, timed
from core.llm.complaint import judged
from core.llm.errors import Refused
from core.llm.limits import Passing, gate, persist
from core.llm.occasion import occasion
from core.llm.roles import Server
from core.llm.wire import http_client

_UNTIL: dict[tuple[str, str], tuple[float, float]] = {}  # (run, server): when to ask again, how long it asked to wait
_LOCK = threading.Lock()


def remember(run_id: str, server: str, asked: float, patience: float) -> None:
    """Let the run leave a server alone for as long as it asked, at most `patience` seconds; without a run nothing is kept."""
    if not run_id:
        return
    now = time.monotonic()
    with _LOCK:
        for old in [key for key, (until, _) in _UNTIL.items() if until < now]:
            del _UNTIL[old]
        _UNTIL[run_id, server] = (now + min(asked, patience), asked)


def asked_to_wait(run_id: str, server: str) -> float:
    """Seconds that the server asked this run to wait, where that is not over; 0 where it may be asked."""
    with _LOCK:
        until, asked = _UNTIL.get((run_id, server), (0.0, 0.0))
    return asked if until > time.monotonic() else 0.0


def forget(run_id: str) -> None:
    """Ask all again: a run begins, or goes on because somebody wants it to."""
    with _LOCK:
        for key in [key for key in _UNTIL if key[0] == run_id]:
            del _UNTIL[key]


MOST = 4 * 2**20  # bytes of a reply
TRIES = 3  # where the bot fails, rather than being busy: it may do twice what it is asked twice
_ERROR = 2**16  # bytes of an error that are read
_SHOWN = 80  # characters of a reply that is no JSON


def fetch(request: Request, patience: float | None = None) -> Any:
    """The JSON that a bot replies with; raises OutsideError, or `core.llm.errors.Stopped`.

    A busy bot (429, 503) is asked again when it says so, for at most `patience` seconds (the settings' where none), one
    that fails (5xx) twice more; a reply that is late is not asked for again. Where it wants a longer wait than that, the
    reply is given up, by the rest of the run as well; others are not kept from asking.
    """
    now, server = occasion(), request.server
    longest = settings().patience if patience is None else min(patience, settings().patience)

    def once() -> bytes:
        if asked := asked_to_wait(now.run_id, server.name):
            raise _too_long(server, asked, longest)
        with gate(server.name, server.key).pass_through(now.stopped, longest):
            try:
                return _sent(request)
            except Passing as error:
                if error.after <= longest:
                    raise
                remember(now.run_id, server.name, error.after, longest)
                raise _too_long(server, error.after, longest) from error  # nothing that the gate would close for

    try:
        data = persist(once, longest, now.stopped, now.absent)
    except Passing as error:
        raise _gave_up(server, error, longest) from error
    return _read(request, data)


def _sent(request: Request) -> bytes:
    """One try: the body of the reply."""
    server = request.server
    until = time.monotonic() + server.timeout
    be_done_by(until)
    try:
        body = request.body or None
        with _client(server.base_url, server.timeout).stream(
            request.method, request.url, content=body, headers=request.headers
        ) as answer:
            whole = b""
            for chunk in unpacked(answer, until):
                whole += chunk
                if answer.status_code >= 300 and len(whole) >= _ERROR:
                    break
                if len(whole) > MOST:
                    raise _huge(server)
            if answer.status_code >= 300:
                raise _complaint(request, answer, whole[:_ERROR])
            return whole
    except httpx2.ConnectTimeout as error:
        raise Passing("nobody answered in time", absent=True) from error
    except httpx2.TimeoutException as error:
        told = (
            f"{server.name} sent no complete reply within {server.timeout:g} s. Check its load, or raise the timeout."
        )
        raise OutsideError(told, "external_slow", server=server.name, seconds=f"{server.timeout:g}") from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        said = request.hiding.text(f"the connection failed ({error})")
        raise Passing(said, tries=math.inf if isinstance(error, httpx2.ConnectError) else TRIES,
                      absent=isinstance(error, httpx2.ConnectError)) from error  # fmt: skip


@lru_cache(maxsize=64)
def _client(address: str, timeout: float) -> httpx2.Client:
    return timed(http_client(Server(base_url=address, timeout=timeout)))


def _complaint(request: Request, answer: httpx2.Response, data: bytes) -> Exception:
    """What an answer means that is no success: ask again, or give up."""
    name = request.server.name
    found = judged(name, answer, data, request.hiding)
    if isinstance(found, Passing):
        if not found.busy:
            found.tries = min(found.tries, TRIES)
        return found
    if isinstance(found, Refused) and "place" in found.details:
        place = found.details["place"]
        told = f"{name} redirects to {place}. Nothing was sent there. If it is the right place, set that URL."
        return OutsideError(told, "moved", server=name, place=place)
    detail = (
        str(found.details.get("detail", found.details.get("problem", found)))
        if isinstance(found, Refused)
        else str(found)
    )
    told = f"{name} refused the request ({detail}). Check the URL, the key and the body."
    return OutsideError(told, "external_refused", server=name, said=detail)


def _gave_up(server: Server, error: Passing, patience: float) -> OutsideError:
    if error.after > patience:
        return _too_long(server, error.after, patience)
    if error.absent:
        told = f"{server.name} cannot be reached ({error}). Check that the bot is running and that the URL is right."
        return OutsideError(told, "external_absent", server=server.name, said=str(error))
    told = f"{server.name} gave no proper reply, however often it was asked ({error})."
    return OutsideError(told, "external_failed", server=server.name, said=str(error))


def _too_long(server: Server, asked: float, patience: float) -> OutsideError:
    wait = f"{math.ceil(asked):,}"
    told = f"{server.name} asks to wait {wait} s, longer than the limit ({patience:g} s)."
    return OutsideError(told, "external_wait", server=server.name, wait=wait, patience=f"{patience:g}")


def _huge(server: Server) -> OutsideError:
    told = f"The reply of {server.name} is larger than {MOST // 2**20} MB. Make the bot reply with less."
    return OutsideError(told, "external_huge", server=server.name, most=f"{MOST // 2**20}")


def _read(request: Request, data: bytes) -> Any:
    try:
        return request.hiding.loaded(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError as error:
        said = " ".join(request.hiding.text(data[: 4 * _SHOWN].decode("utf-8", "replace")).split())[:_SHOWN]
        name = request.server.name
        told = f"{name} did not reply with JSON but with “{said}”. Check the URL and the kind of bot."
        raise OutsideError(told, "external_not_json", server=name, said=said or "—") from error
