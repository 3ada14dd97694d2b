"""A hard limit to what a run may cost."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

from core.base.errors import BudgetReached


class Budget:
    """At most so much money (in the currency of the prices) or so many calls; 0 is no limit.

    A call begins only if those under way, each taken to cost as much as the dearest so far, fit in. So only a call that
    is dearer than all before it can exceed the money. A call's retries count as that one call. `refused` counts the
    calls that did not fit in, `error` names the limit.
    """

    def __init__(self, money: float = 0.0, calls: int = 0, spent: float = 0.0, made: int = 0) -> None:
        self.money, self.calls, self.spent, self.made = money, calls, spent, made
        self.refused: int = 0
        self.error: BudgetReached | None = None
        self._under_way, self._dearest = 0, 0.0
        self._lock = Lock()

    @contextmanager
    def call(self) -> Generator[list[float]]:
        """Room for one call, which puts its cost into the list; raises BudgetReached if there is none."""
        self.catch_up()
        with self._lock:
            if self.calls and self.made >= self.calls:
                raise self._reached(f"{self.calls:,} calls", self.calls)
            if self.money and self.spent + (self._under_way + 1) * self._dearest > self.money:
                raise self._reached(f"{self.money:g}", self.money)
            self.made += 1
            self._under_way += 1
        costs: list[float] = []
        try:
            yield costs
        finally:
            with self._lock:
                self._under_way -= 1
                self.spent += sum(costs)
                self._dearest = max(self._dearest, sum(costs))

    def catch_up(self) -> None:
        """Called before each call: a budget that others spend, too, takes in what they have spent (`take_in`)."""

    def take_in(self, spent: float, made: int) -> None:
        """What is stored of the spending by all together: so much money, so many calls that are over."""
        with self._lock:
            self.spent, self.made = max(self.spent, spent), max(self.made, made + self._under_way)

    def _reached(self, limit: str, amount: float) -> BudgetReached:
        self.refused += 1
        self.error = BudgetReached(
            f"The budget of {limit} is used up. Raise it to go on.", "budget_reached", budget=amount
        )
        return self.error
