"""A question is sent to its server, in an output mode that it takes, within limit and budget, and its call is logged."""

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
from core.base.calls import Call, CallLog, OutputMode, ServerFeatures
from core.base.errors import Absent, ModelError, TransientError, Unreachable
from core.base.limits import concurrency_limit, retry
from core.base.servers import Server
from core.base.types import Role
from core.llm.call_log import LoggedCalls
from core.llm.client import Client, Rejected
from core.llm.completions import Completion
from core.llm.output_modes import LIMITS, FeatureFinder, Probe, probe_server, refused, with_lower_limit
from core.llm.questions import Messages, Question, dump_request, question_of, request_of
from core.llm.roles import Roles
from core.llm.schemas import Json

T = TypeVar("T")
Entry = Callable[[Completion | None], Call]


class Sent(NamedTuple):
    """A reply with its entry for the call log; `has_limit`: the request named a longest reply."""

    reply: Completion
    call: Call
    has_limit: bool


class ReplyStream:
    """A reply of which the first piece is there; `reply` is the whole once all pieces were read.

    Whoever reads it closes it, with what was wrong with it ("" for nothing).
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
    """Knows the servers of all roles, and what they can do; safe to share between threads."""

    def __init__(self, roles: Roles, log: CallLog, calls: LoggedCalls) -> None:
        self._roles, self._calls = roles, calls
        self._clients = {model.server.name: Client(model.server) for model in roles.values()}
        names = {(model.server.name, model.model) for model in roles.values()}
        self._finders = {name: FeatureFinder(*name, log) for name in names}

    def features(self, question: Question) -> ServerFeatures:
        """What the question's server can do with its model; found out by a few small calls if nobody knows yet."""
        return self._finder(question).features(partial(self._probed, question.role))

    def probe(self, role: Role) -> ServerFeatures:
        """Find that out anew."""
        return self._finder(self._probe_of(role)).probe_again(partial(self._probed, role, anew=True))

    def send(self, question: Question, messages: Messages, limit: int, worse: int = 0) -> Sent:
        """One reply of at most `limit` tokens, in an output mode `worse` steps below the best.

        A failure is logged; a reply is for the caller to log. Raises Refused, Unreachable, BudgetReached or Stopped.
        """
        while True:
            features = self.features(question)
            mode = question.output_mode(features, worse)
            body = request_of(question, features, mode, messages, limit)
            try:
                return self._send(question, mode, body)
            except Rejected as rejected:
                self._learn(question, features, mode, body, rejected)

    def stream(self, question: Question) -> ReplyStream:
        """The same in pieces, once the first one is there."""
        while True:
            features = self.features(question)
            body = request_of(question, features, "text", question.messages, question.model.reply_tokens)
            if "stream_options" not in features.rejected:
                body["stream_options"] = {"include_usage": True}
            try:
                return self._stream(question, body)
            except Rejected as rejected:
                self._learn(question, features, "text", {**body, "stream": True}, rejected)

    def _send(self, question: Question, mode: OutputMode, body: Json) -> Sent:
        client = self._clients[question.model.server.name]
        while True:
            try:
                with _budgeted() as costs:
                    reply, entry = self._retried(question, mode, body, partial(client.complete, body))
                    call = entry(reply)
                    costs.append(self._calls.budgeted_cost(call))
                    return Sent(reply, call, any(name in body for name in LIMITS))
            except Rejected as rejected:
                body = with_lower_limit(body, rejected)

    def _stream(self, question: Question, body: Json) -> ReplyStream:
        client = self._clients[question.model.server.name]
        while True:
            try:
                with ExitStack() as budgeted:
                    costs = budgeted.enter_context(_budgeted())
                    begin = partial(_begin_stream, client, body)
                    stream, entry = self._retried(question, "text", body, begin)
                    stream.close = partial(self._close, stream, entry, costs, budgeted.pop_all())
                    return stream
            except Rejected as rejected:
                body = with_lower_limit(body, rejected)

    def _close(self, stream: ReplyStream, entry: Entry, costs: list[float], budgeted: ExitStack, problem: str) -> None:
        """Log what was streamed, and count its cost in the budget, which had room for it until now."""
        with budgeted:
            call = entry(stream.reply).model_copy(update={"error": problem})
            costs.append(self._calls.budgeted_cost(call))
            self._calls.add(call)

    def _retried(self, question: Question, mode: OutputMode, body: Json, send: Callable[[], T]) -> tuple[T, Entry]:
        """`send`, tried again while that may help, within the server's limit; a failure is logged."""
        context, server, tries, begun = current_context(), question.model.server, 0, time.monotonic()

        def once() -> T:
            nonlocal tries
            with concurrency_limit(server.name, server.key).slot(context.stopped, server.patience):
                tries += 1
                return send()

        def entry(reply: Completion | None) -> Call:
            seconds, request = time.monotonic() - begun, dump_request(body)
            return self._calls.entry(question, mode, request, reply, seconds, max(0, tries - 1))

        try:
            return retry(once, server.patience, context.stopped, context.connect_patience), entry
        except (TransientError, Rejected, ModelError) as error:
            final = _unreachable(server, error) if isinstance(error, TransientError) else error
            if tries:
                self._calls.add(entry(None).model_copy(update={"error": str(final)}))
            raise final from error

    def _finder(self, question: Question) -> FeatureFinder:
        return self._finders[question.model.server.name, question.model.model]

    def _learn(
        self, question: Question, features: ServerFeatures, mode: OutputMode, body: Json, rejected: Rejected
    ) -> None:
        if not self._finder(question).learn(features, mode, body, rejected):
            raise refused(question, rejected) from rejected

    def _probe_of(self, role: Role) -> Question:
        return question_of(Probe(), self._roles[role], 1, role)

    def _probed(self, role: Role, features: ServerFeatures, anew: bool = False) -> ServerFeatures:
        """What a few small calls find out; those that were made before a process died are not made `anew`."""
        made = Counter[str]()  # the same request once more is another call

        def send(question: Question, mode: OutputMode, body: Json) -> Completion:
            request = dump_request(body)
            question = question.as_sent(mode, request, made[request])
            made[request] += 1
            if not anew and (known := self._calls.find(question)):
                return known
            sent = self._send(question, mode, body)
            self._calls.add(sent.call)
            return sent.reply

        return probe_server(features, self._probe_of(role), send)


def _begin_stream(client: Client, body: Json) -> ReplyStream:
    return ReplyStream(client.stream(body))


def _budgeted() -> AbstractContextManager[list[float]]:
    """Room for one call in the budget of the call context."""
    return (current_context().budget or Budget()).call()


def _unreachable(server: Server, error: TransientError) -> Unreachable:
    message = f"{server.name} gave no proper reply, however often it was asked ({error}). Is it running?"
    if error.after > server.patience:
        wait = math.ceil(error.after)
        message = f"{server.name} asks to wait {wait:,} s ({error}), longer than KIKU_PATIENCE ({server.patience:g} s)."
        return Unreachable(message, "long_wait", server=server.name, wait=f"{wait:,}", patience=f"{server.patience:g}")
    kind = Absent if error.absent else Unreachable
    return kind(message, "unreachable", server=server.name, detail=str(error))
