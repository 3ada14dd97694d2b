"""Work that a person waits for: what is over in time, and what becomes of the rest."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from core.base.call_context import current_context
from core.base.thread_pool import run_with_timeout


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
