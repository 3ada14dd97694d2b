"""Logs every call to a model as it returns, and finds earlier replies, so that no request is sent twice."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from weakref import WeakValueDictionary

from core.base.call_context import current_context
from core.base.calls import Call, CallLog
from core.llm.completions import UNCOUNTED, Completion, load_completion
from core.llm.model_requests import Attempt, ModelRequest
from core.llm.prices import Prices

BYTES_PER_TOKEN = 3  # of UTF-8, a low estimate: Japanese has about one token per character, English one per three


class LoggedCalls:
    """Logs calls with their cost, and finds them again; safe to share between threads."""

    def __init__(self, log: CallLog, prices: Prices, cache: bool) -> None:
        self._log, self.prices, self._cache = log, prices, cache
        self._locks = WeakValueDictionary[str, threading.Lock]()
        self._new_lock = threading.Lock()

    def find(self, request: ModelRequest) -> Completion | None:
        """The reply to an earlier equal request, if that reply could be used."""
        context = current_context()
        if not self._cache or not context.cache or context.resample:
            return None
        call = self._log.usable(request.key)
        if call is None:
            return None
        if tally := context.tally:
            tally.add(call, cached=True)
        return load_completion(call.reply)

    def add(self, call: Call) -> None:
        self._log.add(call)
        if tally := current_context().tally:
            tally.add(call, cached=False)

    @contextmanager
    def one_at_a_time(self, request: ModelRequest) -> Generator[None]:
        """Let other threads with the same request wait, so that they find the reply in the log."""
        with self._new_lock:
            lock = self._locks.setdefault(request.key, threading.Lock())
        with lock:
            yield

    def budgeted_cost(self, call: Call) -> float:
        """The cost of a call in a budget: its own, or an estimate by its texts if no tokens were counted."""
        if call.cost is not None:
            return call.cost
        return self.prices.cost(call.model, _tokens(call.request), 0, _tokens(call.reply)) or 0.0

    def entry(self, attempt: Attempt, reply: Completion | None, seconds: float, retries: int) -> Call:
        """The call for the log; its key covers everything that could change the reply, its request has no API key."""
        request, context, usage = attempt.request, current_context(), reply.usage if reply else UNCOUNTED
        model = request.model
        return Call(
            created_at=datetime.now(UTC),
            run_id=context.run_id,
            conversation_id=context.conversation_id,
            purpose=request.purpose,
            role=request.role,
            server=model.server.name,
            model=model.model,
            output_mode=attempt.mode,
            key=request.key,
            repeat=request.repeat,
            **usage._asdict(),
            cost=self.prices.cost(model.model, *usage) if reply else 0.0,
            seconds=round(seconds, 4),
            retries=retries,
            request=attempt.text,
            reply=reply.dump() if reply else "",
        )


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
