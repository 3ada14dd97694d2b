"""Every call to a model as it returns; the same question is not asked twice."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime

from core.base.calls import Call, CallBook, Rung
from core.llm.occasion import occasion
from core.llm.prices import Prices
from core.llm.raw import Raw, load_raw
from core.llm.request import Question

BYTES = 3  # of UTF-8 to a token, rather too few: Japanese takes a token for each character, English for three


class Ledger:
    """Keeps calls in a book, with what they cost, and finds them again; safe to share between threads."""

    def __init__(self, book: CallBook, prices: Prices, cache: bool = True) -> None:
        self._book, self.prices, self._cache = book, prices, cache
        self._locks: dict[str, threading.Lock] = {}
        self._waiting: Counter[str] = Counter()
        self._turnstile = threading.Lock()

    def find(self, question: Question) -> Raw | None:
        """The reply to the same question, where it was asked before and the reply could be used."""
        if not self._cache or not occasion().cache:
            return None
        call = self._book.usable_call(question.key)
        if call is None:
            return None
        if tally := occasion().tally:
            tally.add(call, cached=True)
        return load_raw(call.reply)

    def keep(self, call: Call) -> None:
        """Store a call."""
        self._book.add_call(call)
        if tally := occasion().tally:
            tally.add(call, cached=False)

    @contextmanager
    def alone(self, question: Question) -> Generator[None]:
        """Let others who ask the same question wait, so that they find the reply in the book."""
        key = question.key
        with self._turnstile:
            lock = self._locks.setdefault(key, threading.Lock())
            self._waiting[key] += 1
        try:
            with lock:
                yield
        finally:
            with self._turnstile:
                self._waiting[key] -= 1
                if not self._waiting[key]:
                    del self._locks[key], self._waiting[key]

    def cost(self, model: str, raw: Raw) -> float | None:
        """What a reply cost; none where the model has no price, or the server told no tokens."""
        return self.prices.cost(model, raw.prompt_tokens, raw.cached_tokens, raw.completion_tokens)

    def spent(self, call: Call) -> float:
        """What a call counts in a budget: its cost, else (the server told no tokens) what its texts may have cost."""
        if call.cost is not None:
            return call.cost
        return self.prices.cost(call.model, _tokens(call.request), 0, _tokens(call.reply)) or 0.0

    def entry(
        self, question: Question, rung: Rung, request: str, raw: Raw | None, seconds: float, retries: int
    ) -> Call:
        """The call for the book; its key leaves out nothing that could change the reply, its request holds no key."""
        now, model = occasion(), question.model
        tokens = (raw.prompt_tokens, raw.cached_tokens, raw.completion_tokens) if raw else (None, None, None)
        return Call(
            created_at=datetime.now(UTC),
            run_id=now.run_id,
            conversation_id=now.conversation_id,
            purpose=question.purpose,
            role=question.role,
            server=model.server.name,
            model=model.model,
            rung=rung,
            key=question.key,
            repeat=question.repeat,
            prompt_tokens=tokens[0],
            cached_tokens=tokens[1],
            completion_tokens=tokens[2],
            cost=self.cost(model.model, raw) if raw else 0.0,
            seconds=round(seconds, 4),
            retries=retries,
            request=request,
            reply=raw.dump() if raw else "",
        )


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES)
