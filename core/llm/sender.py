"""Sends requests in an output mode that the server takes, within concurrency limit and budget, and logs the calls."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import NamedTuple, TypeVar

from core.base.budget import Budget
from core.base.call_context import current_context
from core.base.calls import Call, CallLog, ServerFeatures
from core.base.concurrency_limit import concurrency_limit
from core.base.errors import ConnectionFailed, ModelError, ServerUnreachable, TransientError, stored_error
from core.base.json_data import Json
from core.base.retry import retry_call
from core.base.servers import Server
from core.base.types import Role
from core.llm.client import Client, RequestRejected
from core.llm.completions import Completion
from core.llm.logged_calls import LoggedCalls
from core.llm.model_requests import Attempt, Messages, ModelRequest, model_request_of, request_body
from core.llm.rejections import MAX_TOKENS_NAMES, server_refusal, with_lower_max_tokens
from core.llm.roles import Roles
from core.llm.server_features import FeatureFinder, Probe, probe_server

T = TypeVar("T")
Entry = Callable[[Completion | None], Call]


class ServerReply(NamedTuple):
    """A reply with its entry for the call log."""

    reply: Completion
    call: Call
    has_max_tokens: bool  # whether the request limited the reply's length


class ReplyStream:
    """A reply whose first piece has arrived; `reply` is the whole once all pieces were read.

    Its reader closes it, with the problem that occurred ("" for none).
    """

    def __init__(self, pieces: Generator[str, None, Completion]) -> None:
        self._pieces = pieces
        self.reply = Completion({})
        self.close: Callable[[str], None] = lambda problem: None
        try:
            self._first = next(pieces)
        except StopIteration as end:  # a reply without any text
            self._first, self.reply = "", end.value

    def __iter__(self) -> Iterator[str]:
        yield self._first
        self.reply = (yield from self._pieces) or self.reply


class Sender:
    """Sends requests to the servers of all roles; safe to share between threads."""

    def __init__(self, roles: Roles, log: CallLog, calls: LoggedCalls) -> None:
        self._roles, self._calls = roles, calls
        self._clients = {model.server.name: Client(model.server) for model in roles.values()}
        names = {(model.server.name, model.model) for model in roles.values()}
        self._finders = {name: FeatureFinder(*name, log) for name in names}

    def features(self, request: ModelRequest) -> ServerFeatures:
        """The features that the request's server supports for its model, probed by a few small calls if they are
        unknown."""
        return self._finder(request).features(partial(self._probed, request.role))

    def probe(self, role: Role) -> ServerFeatures:
        """Probe the features of a role's server again, without the call log."""
        return self._finder(self._probe_request(role)).probe_again(partial(self._probed, role, ignore_log=True))

    def send(self, request: ModelRequest, messages: Messages, max_tokens: int, fallback_level: int = 0) -> ServerReply:
        """One reply of at most `max_tokens`, in the output mode `fallback_level` places below the best.

        A failure is logged; the caller logs a reply. Raises ServerRefusal, ModelRefusal, ServerUnreachable,
        BudgetReached or Stopped.
        """
        while True:
            features = self.features(request)
            mode = request.output_mode(features, fallback_level)
            attempt = Attempt(request, mode, request_body(request, features, mode, messages, max_tokens))
            try:
                return self._send(attempt)
            except RequestRejected as rejected:
                self._remember_rejection(features, attempt, rejected)

    def stream(self, request: ModelRequest) -> ReplyStream:
        """The same in pieces, as soon as the first one has arrived."""
        while True:
            features = self.features(request)
            body = request_body(request, features, "text", request.messages, request.model.max_tokens)
            if "stream_options" not in features.rejected:
                body["stream_options"] = {"include_usage": True}
            attempt = Attempt(request, "text", body)
            try:
                return self._stream(attempt)
            except RequestRejected as rejected:
                self._remember_rejection(features, attempt._replace(body={**body, "stream": True}), rejected)

    def _send(self, attempt: Attempt) -> ServerReply:
        client = self._client(attempt)
        while True:
            try:
                with _budgeted() as costs:
                    reply, entry = self._retried(attempt, client.complete)
                    call = entry(reply)
                    costs.append(self._calls.budgeted_cost(call))
                    return ServerReply(reply, call, any(name in attempt.body for name in MAX_TOKENS_NAMES))
            except RequestRejected as rejected:
                attempt = attempt._replace(body=with_lower_max_tokens(attempt.body, rejected))

    def _stream(self, attempt: Attempt) -> ReplyStream:
        client = self._client(attempt)
        while True:
            try:
                with ExitStack() as budgeted:
                    costs = budgeted.enter_context(_budgeted())
                    stream, entry = self._retried(attempt, lambda body: ReplyStream(client.stream(body)))
                    stream.close = partial(self._close, stream, entry, costs, budgeted.pop_all())
                    return stream
            except RequestRejected as rejected:
                attempt = attempt._replace(body=with_lower_max_tokens(attempt.body, rejected))

    def _close(self, stream: ReplyStream, entry: Entry, costs: list[float], budgeted: ExitStack, problem: str) -> None:
        """Log what was streamed, and count its cost in the budget, which had reserved the call until now."""
        with budgeted:
            call = entry(stream.reply).model_copy(update={"error": problem})
            costs.append(self._calls.budgeted_cost(call))
            self._calls.add(call)

    def _retried(self, attempt: Attempt, send: Callable[[Json], T]) -> tuple[T, Entry]:
        """The result of `send`, retried while that may help, within the server's limit; a failure is logged."""
        context, server, tries, begun = current_context(), attempt.request.model.server, 0, time.monotonic()

        def once() -> T:
            nonlocal tries
            with concurrency_limit(server.name, server.key).slot(context.stopped, server.patience):
                tries += 1
                return send(attempt.body)

        def entry(reply: Completion | None) -> Call:
            return self._calls.entry(attempt, reply, time.monotonic() - begun, max(0, tries - 1))

        try:
            return retry_call(once, server.patience, context.stopped, context.connect_patience), entry
        except (TransientError, RequestRejected, ModelError) as error:
            final = _unreachable(server, error) if isinstance(error, TransientError) else error
            if tries:
                in_words = str(final) if isinstance(final, RequestRejected) else stored_error(final)
                self._calls.add(entry(None).model_copy(update={"error": in_words}))
            raise final from error

    def _client(self, attempt: Attempt) -> Client:
        return self._clients[attempt.request.model.server.name]

    def _finder(self, request: ModelRequest) -> FeatureFinder:
        return self._finders[request.model.server.name, request.model.model]

    def _remember_rejection(self, features: ServerFeatures, attempt: Attempt, rejected: RequestRejected) -> None:
        if not self._finder(attempt.request).remember_rejection(features, attempt, rejected):
            raise server_refusal(attempt.request, rejected) from rejected

    def _probe_request(self, role: Role) -> ModelRequest:
        return model_request_of(Probe(), self._roles[role], 1, role)

    def _probed(self, role: Role, features: ServerFeatures, ignore_log: bool = False) -> ServerFeatures:
        """The probed features; unless `ignore_log`, replies in the call log are used again."""
        made = Counter[str]()  # the same request once more is another call

        def send(attempt: Attempt) -> Completion:
            text = attempt.text
            attempt = attempt.with_key_of(made[text])
            made[text] += 1
            if not ignore_log and (logged := self._calls.find(attempt.request)):
                return logged
            reply = self._send(attempt)
            self._calls.add(reply.call)
            return reply.reply

        return probe_server(features, self._probe_request(role), send)


def _budgeted() -> AbstractContextManager[list[float]]:
    """Reserves one call in the budget of the call context."""
    return (current_context().budget or Budget()).call()


def _unreachable(server: Server, error: TransientError) -> ServerUnreachable:
    message = f"{server.name} gave no proper reply, however often it was asked ({error}). "
    message += "Is it running?" if error.absent else "Check its address, and that it is running."
    if error.after > server.patience:
        wait = math.ceil(error.after)
        message = f"{server.name} asks to wait {wait:,} s ({error}), longer than KIKU_PATIENCE ({server.patience:g} s)."
        return ServerUnreachable(
            message, "long_wait", server=server.name, wait=f"{wait:,}", patience=f"{server.patience:g}"
        )
    kind = ConnectionFailed if error.absent else ServerUnreachable
    return kind(message, "unreachable", server=server.name, detail=str(error))
