"""Sends a request to an external bot and reads its JSON, within a time and a size; a redirection is not followed."""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import Any

import httpx2

from core.base.call_context import CallContext, current_context
from core.base.concurrency_limit import concurrency_limit
from core.base.errors import ExternalBotError, TransientError
from core.base.http import BoundedClient, TooLarge, http_client, read_error, redirected_to, transient_error
from core.base.retry import retry_call
from core.base.servers import Server
from core.base.settings import settings
from core.bot.external.request import Request

# Bytes of a reply.
MAX_BYTES = 4 * 2**20
# Times that a bot is asked if it fails, rather than being busy: it may do twice what it is asked twice.
MAX_TRIES = 3
# Characters of a reply that is no JSON.
SHOWN_CHARACTERS = 80


def asked_to_wait(context: CallContext, server: str) -> float:
    """Seconds that the server asked this run to wait, if that is not over; 0 if it may be asked."""
    until, asked = (context.waits or {}).get(server, (0.0, 0.0))
    return asked if until > time.monotonic() else 0.0


def fetch(request: Request, patience: float | None = None) -> Any:
    """The JSON that a bot replies with; raises ExternalBotError, or `core.base.errors.Stopped`.

    A busy bot (429, 503) is asked again when it says so, for at most `patience` seconds (default: the settings'), one
    that fails (5xx) twice more; a reply that is late is not asked for again. If it wants a longer wait than that, the
    reply is given up, by the rest of the run as well; others are not kept from asking.
    """
    context, server = current_context(), request.server
    longest = settings().patience if patience is None else min(patience, settings().patience)

    def once() -> bytes:
        if asked := asked_to_wait(context, server.name):
            raise _too_long(server, asked, longest)
        with concurrency_limit(server.name, server.key).slot(context.stopped, longest):
            try:
                return _send(request)
            except TransientError as error:
                if error.after <= longest:
                    raise
                if context.waits is not None:
                    context.waits[server.name] = (time.monotonic() + min(error.after, longest), error.after)
                raise _too_long(server, error.after, longest) from error  # so that others need not wait

    try:
        data = retry_call(once, longest, context.stopped, context.connect_patience)
    except TransientError as error:
        raise _gave_up(server, error, longest) from error
    return _read(request, data)


def _send(request: Request) -> bytes:
    """One try: the body of the reply."""
    server, client = request.server, _client(request.server.base_url, request.server.timeout)
    try:
        response = client.request(request.method, request.url, content=request.body or None, headers=request.headers)
    except httpx2.ConnectTimeout as error:
        raise TransientError("nobody answered in time", absent=True) from error
    except httpx2.TimeoutException as error:
        message = (
            f"{server.name} sent no complete reply within {server.timeout:g} s. Check its load, or raise the timeout."
        )
        raise ExternalBotError(message, "external_slow", server=server.name, seconds=f"{server.timeout:g}") from error
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        message = request.redactor.text(f"the connection failed ({error})")
        is_absent = isinstance(error, httpx2.ConnectError)
        raise TransientError(message, tries=math.inf if is_absent else MAX_TRIES, absent=is_absent) from error
    if response.status_code >= 300:
        raise _error_of(request, response)
    return response.content


@lru_cache(maxsize=64)
def _client(address: str, timeout: float) -> BoundedClient:
    return http_client(Server(base_url=address, timeout=timeout), MAX_BYTES)


def _error_of(request: Request, response: httpx2.Response) -> Exception:
    """What an error reply means: ask again, or give up."""
    name, error = request.server.name, read_error(response, request.redactor)
    if place := redirected_to(response, request.redactor):
        message = f"{name} redirects to {place}. Nothing was sent there. If it is the right place, set that URL."
        return ExternalBotError(message, "moved", server=name, place=place)
    if transient := transient_error(response, error.message):
        transient.tries = transient.tries if transient.busy else MAX_TRIES
        return transient
    message = f"{name} refused the request ({error.message}). Check the URL, the key and the body."
    return ExternalBotError(message, "external_refused", server=name, said=error.message)


def _gave_up(server: Server, error: TransientError, patience: float) -> ExternalBotError:
    if isinstance(error, TooLarge):
        message = f"The reply of {server.name} is larger than {MAX_BYTES // 2**20} MB. Make the bot reply with less."
        return ExternalBotError(message, "external_huge", server=server.name, most=f"{MAX_BYTES // 2**20}")
    if error.after > patience:
        return _too_long(server, error.after, patience)
    if error.absent:
        message = f"{server.name} cannot be reached ({error}). Check that the bot is running and that the URL is right."
        return ExternalBotError(message, "external_absent", server=server.name, said=str(error))
    message = f"{server.name} gave no proper reply, however often it was asked ({error})."
    return ExternalBotError(message, "external_failed", server=server.name, said=str(error))


def _too_long(server: Server, asked: float, patience: float) -> ExternalBotError:
    wait = f"{math.ceil(asked):,}"
    message = f"{server.name} asks to wait {wait} s, longer than the limit ({patience:g} s)."
    return ExternalBotError(message, "external_wait", server=server.name, wait=wait, patience=f"{patience:g}")


def _read(request: Request, data: bytes) -> Any:
    try:
        return request.redactor.load_json(data)
    except ValueError as error:
        said = " ".join(request.redactor.text(data[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace")).split())[
            :SHOWN_CHARACTERS
        ]
        name = request.server.name
        message = f"{name} did not reply with JSON but with “{said}”. Check the URL and the kind of bot."
        raise ExternalBotError(message, "external_not_json", server=name, said=said or "—") from error
