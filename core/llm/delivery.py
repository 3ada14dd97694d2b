"""Getting a request to its server and a reply back: in a form that the server takes, within limits, into the ledger."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import NamedTuple, TypeVar

from core.base.calls import Abilities, Call, CallBook, Rung
from core.base.types import Role
from core.llm.budget import Budget
from core.llm.complaint import Rejected
from core.llm.errors import Absent, ModelError, Unreachable
from core.llm.ladder import LIMITS, Ladder, Probe, asking_less, probed, refused
from core.llm.ledger import Ledger
from core.llm.limits import Passing, gate, persist
from core.llm.occasion import occasion
from core.llm.raw import Raw
from core.llm.request import Messages, Question, question_of, request_of, written
from core.llm.roles import Roles, Server
from core.llm.schemas import Json
from core.llm.wire import Wire

T = TypeVar("T")
Entry = Callable[[Raw | None], Call]


class Delivered(NamedTuple):
    """A reply with its entry for the ledger; `limited`: the request named a longest reply."""

    raw: Raw
    call: Call
    limited: bool


class Stream:
    """A reply of which the first piece is there; `raw` is the whole once all pieces were read.

    Whoever reads it closes it, with what was wrong with it ("" for nothing).
    """

    def __init__(self, pieces: Generator[str, None, Raw]) -> None:
        self._pieces = pieces
        self.raw = Raw({})
        self.close: Callable[[str], None] = lambda problem: None
        try:
            self._first = next(pieces)
        except StopIteration as end:  # a reply without any text
            self._first, self.raw = "", end.value

    @staticmethod
    def begin(wire: Wire, body: Json) -> Stream:
        """Send a request, and wait for the first piece."""
        return Stream(wire.pieces(body))

    def __iter__(self) -> Iterator[str]:
        yield self._first
        self.raw = (yield from self._pieces) or self.raw


class Delivery:
    """Knows the servers of all roles, and what they can do; safe to share between threads."""

    def __init__(self, roles: Roles, book: CallBook, ledger: Ledger) -> None:
        self._roles, self._ledger = roles, ledger
        self._wires = {model.server.name: Wire(model.server) for model in roles.values()}
        names = {(model.server.name, model.model) for model in roles.values()}
        self._ladders = {name: Ladder(*name, book) for name in names}

    def abilities(self, question: Question) -> Abilities:
        """What the question's server can do with its model; found out by a few small calls where nobody knows yet."""
        return self._ladder(question).abilities(partial(self._probed, question.role))

    def probe(self, role: Role) -> Abilities:
        """Find that out anew."""
        return self._ladder(self._probe(role)).probe_again(partial(self._probed, role, anew=True))

    def send(self, question: Question, messages: Messages, limit: int, lower: int = 0) -> Delivered:
        """One reply of at most `limit` tokens, in a form `lower` rungs below the best.

        A failure is kept in the ledger; a reply is for the caller to keep.
        Raises Refused, Unreachable, BudgetReached or Stopped.
        """
        while True:
            found = self.abilities(question)
            rung = question.rung(found, lower)
            body = request_of(question, found, rung, messages, limit)
            try:
                return self._deliver(question, rung, body)
            except Rejected as rejected:
                self._learn(question, found, rung, body, rejected)

    def stream(self, question: Question) -> Stream:
        """The same in pieces, once the first one is there."""
        while True:
            found = self.abilities(question)
            body = request_of(question, found, "text", question.messages, question.model.reply_tokens)
            if "stream_options" not in found.dropped:
                body["stream_options"] = {"include_usage": True}
            try:
                return self._begin(question, body)
            except Rejected as rejected:
                self._learn(question, found, "text", {**body, "stream": True}, rejected)

    def _begin(self, question: Question, body: Json) -> Stream:
        wire = self._wires[question.model.server.name]
        while True:
            try:
                with ExitStack() as room:
                    costs = room.enter_context(_room())
                    stream, entry = self._persisted(question, "text", written(body), partial(Stream.begin, wire, body))
                    stream.close = partial(self._settle, stream, entry, costs, room.pop_all())
                    return stream
            except Rejected as rejected:
                body = asking_less(body, rejected)

    def _deliver(self, question: Question, rung: Rung, body: Json) -> Delivered:
        wire = self._wires[question.model.server.name]
        while True:
            try:
                with _room() as costs:
                    request = written(body)
                    raw, entry = self._persisted(question, rung, request, partial(wire.reply, request))
                    call = entry(raw)
                    costs.append(self._ledger.spent(call))
                    return Delivered(raw, call, any(name in body for name in LIMITS))
            except Rejected as rejected:
                body = asking_less(body, rejected)

    def _settle(self, stream: Stream, entry: Entry, costs: list[float], room: ExitStack, problem: str) -> None:
        """Keep what was streamed, and let the budget have its cost; its room was held until now."""
        with room:
            call = entry(stream.raw).model_copy(update={"error": problem})
            costs.append(self._ledger.spent(call))
            self._ledger.keep(call)

    def _persisted(self, question: Question, rung: Rung, request: str, send: Callable[[], T]) -> tuple[T, Entry]:
        """`send`, tried again while that may help, within limits; a failure is kept in the ledger."""
        now, server, tries, begun = occasion(), question.model.server, 0, time.monotonic()

        def once() -> T:
            nonlocal tries
            with gate(server.name, server.key).pass_through(now.stopped, server.patience):
                tries += 1
                return send()

        def entry(raw: Raw | None) -> Call:
            return self._ledger.entry(question, rung, request, raw, time.monotonic() - begun, max(0, tries - 1))

        try:
            return persist(once, server.patience, now.stopped, now.absent), entry
        except (Passing, Rejected, ModelError) as error:
            told = _unreachable(server, error) if isinstance(error, Passing) else error
            if tries:
                self._ledger.keep(entry(None).model_copy(update={"error": str(told)}))
            raise told from error

    def _ladder(self, question: Question) -> Ladder:
        return self._ladders[question.model.server.name, question.model.model]

    def _learn(self, question: Question, found: Abilities, rung: Rung, body: Json, rejected: Rejected) -> None:
        if not self._ladder(question).learn(found, rung, body, rejected):
            raise refused(question, rejected) from rejected

    def _probe(self, role: Role) -> Question:
        return question_of(Probe(), self._roles[role], 1, role)

    def _probed(self, role: Role, found: Abilities, anew: bool = False) -> Abilities:
        """What a few small calls find out; those that were made before a process died are not made `anew`."""
        made = Counter[str]()  # the same request once more is another call

        def send(question: Question, rung: Rung, body: Json) -> Raw:
            request = written(body)
            question = question.as_sent(rung, request, made[request])
            made[request] += 1
            if not anew and (known := self._ledger.find(question)):
                return known
            delivered = self._deliver(question, rung, body)
            self._ledger.keep(delivered.call)
            return delivered.raw

        return probed(found, self._probe(role), send)


def _room() -> AbstractContextManager[list[float]]:
    """Room for one call in the budget of the occasion."""
    return (occasion().budget or Budget()).call()


def _unreachable(server: Server, error: Passing) -> Unreachable:
    told = f"{server.name} gave no proper reply, however often it was asked ({error}). Is it running?"
    if error.after > server.patience:
        wait = math.ceil(error.after)
        told = f"{server.name} asks to wait {wait:,} s ({error}), longer than KIKU_PATIENCE ({server.patience:g} s)."
        return Unreachable(told, "long_wait", server=server.name, wait=f"{wait:,}", patience=f"{server.patience:g}")
    kind = Absent if error.absent else Unreachable
    return kind(told, "unreachable", server=server.name, detail=str(error))
