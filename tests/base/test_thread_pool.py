"""Work that a person waits for: what is over in time, and what becomes of the rest."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from core.base.call_context import current_context
from core.base.thread_pool import run_with_timeout, side_by_side


def test_what_is_over_in_time_is_given_and_the_rest_is_told_to_stop() -> None:
    stopped = threading.Event()

    def until_stopped() -> None:
        while not current_context().stopped():
            threading.Event().wait(0.01)
        stopped.set()

    done = run_with_timeout({"quick": lambda: None, "slow": until_stopped}, 0.5)
    assert list(done) == ["quick"] and stopped.wait(20)


def test_what_has_not_begun_in_time_never_does() -> None:
    gate, begun = threading.Event(), list[int]()

    def begin(number: int) -> None:
        begun.append(number)
        gate.wait(20)

    assert run_with_timeout({number: partial(begin, number) for number in range(3)}, 0.2, threads=1) == {}
    gate.set()
    assert begun == [0]


def test_an_exception_is_raised_where_the_result_is_asked_for() -> None:
    def fail() -> None:
        raise ValueError("broken")

    done = run_with_timeout({"one": fail}, 20)
    with pytest.raises(ValueError, match="broken"):
        done["one"].result()


def test_items_are_worked_on_side_by_side_up_to_the_number_of_threads() -> None:
    together = threading.Barrier(3)

    def work(item: int) -> int:
        together.wait(timeout=5)  # breaks if fewer are under way at once
        return -item

    with side_by_side(work, iter(range(6)), 3, "test") as results:
        assert [one.result() for one in results] == [0, -1, -2, -3, -4, -5]
    with side_by_side(work, (), 3, "test") as results:
        assert results == []


def test_after_an_error_no_further_item_is_begun() -> None:
    begun, gate = list[int](), threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            raise ValueError("broken")
        gate.wait(20)

    with pytest.raises(ValueError, match="broken"), side_by_side(work, range(9), 1, "test") as results:
        results[0].result()
    gate.set()
    assert all(one.cancelled() for one in results[2:]) and set(begun) <= {0, 1}
