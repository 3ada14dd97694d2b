"""A hard limit on the cost of a run."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

from core.base.errors import BudgetReached


class Budget:
    """A limit on money (in the currency of the prices) and on the number of calls; 0 is no limit.

    A call starts only if the money also covers all running calls, each at the cost of the dearest call so far. So only
    a call that is dearer than all before it can exceed the money. A call counts once with all its retries. `refused`
    counts the calls that were not made, `error` names the limit.
    """

    def __init__(self, money: float = 0.0, calls: int = 0, spent: float = 0.0, made: int = 0) -> None:
        self.money, self.calls, self.spent, self.made = money, calls, spent, made
        self.refused: int = 0
        self.error: BudgetReached | None = None
        self._running, self._dearest = 0, 0.0
        self._lock = Lock()

    @contextmanager
    def call(self) -> Generator[list[float]]:
        """Reserves one call, whose cost the block puts into the list; raises BudgetReached if the budget does not allow
        it."""
        self.catch_up()
        with self._lock:
            if self.calls and self.made >= self.calls:
                raise self._reached(f"{self.calls:,} calls", self.calls)
            if self.money and self.spent + (self._running + 1) * self._dearest > self.money:
                raise self._reached(f"{self.money:g}", self.money)
            self.made += 1
            self._running += 1
        costs: list[float] = []
        try:
            yield costs
        finally:
            with self._lock:
                self._running -= 1
                self.spent += sum(costs)
                self._dearest = max(self._dearest, sum(costs))

    def catch_up(self) -> None:
        """Called before each call; a budget that other processes share reads their spending here (`take_in`)."""

    def take_in(self, spent: float, made: int) -> None:
        """Take over the stored spending of all processes together: money, and number of ended calls."""
        with self._lock:
            self.spent, self.made = max(self.spent, spent), max(self.made, made + self._running)

    def _reached(self, limit: str, amount: float) -> BudgetReached:
        self.refused += 1
        self.error = BudgetReached(
            f"The budget of {limit} is used up. Raise it to go on.", "budget_reached", budget=amount
        )
        return self.error
