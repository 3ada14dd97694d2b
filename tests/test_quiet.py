"""The garbage collector during runs."""

import gc
import weakref

import pytest

from core.run.quiet import NURSERY, quiet


class Thing:
    """Something that refers to itself, so that only the collector finds it."""

    def __init__(self):
        self.me = self


@pytest.fixture(autouse=True)
def untouched():
    before = gc.get_threshold()
    assert gc.get_freeze_count() == 0
    yield
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_what_was_there_before_is_left_alone_until_the_work_is_over():
    old = Thing()
    gone = weakref.ref(old)
    with quiet():
        assert gc.get_freeze_count() > 10_000
        assert gc.get_threshold()[0] == NURSERY
        del old
        gc.collect()
        assert gone() is not None
    gc.collect()
    assert gone() is None


def test_what_the_work_makes_is_collected_during_it():
    with quiet():
        new = Thing()
        gone = weakref.ref(new)
        del new
        gc.collect()
        assert gone() is None


def test_of_two_runs_the_last_one_ends_it():
    usual = gc.get_threshold()
    first, second = quiet(), quiet()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] == NURSERY and gc.get_freeze_count()
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def test_work_that_fails_ends_it_too():
    with pytest.raises(RuntimeError), quiet():
        raise RuntimeError
    assert gc.get_freeze_count() == 0
