"""The garbage collector during runs (tried in a process where nothing else runs), and while much is built."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.heap import building

BEGINNING = """
import gc, weakref
from core.base.heap import NURSERY, running

class Thing:
    def __init__(self):
        self.me = self  # so that only the collector finds it

usual = gc.get_threshold()
"""
END = """
assert gc.get_threshold() == usual and gc.get_freeze_count() == 0
"""


def holds(work: str) -> None:
    """The assertions of some work hold, and afterwards the collector is as it was."""
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + work + END], capture_output=True, text=True, cwd=Path(__file__).parents[1]
    )
    assert done.returncode == 0, done.stderr


def test_what_was_there_before_is_left_alone_until_the_work_is_over():
    holds("""
old = Thing()
gone = weakref.ref(old)
with running():
    assert gc.get_freeze_count() > 1_000 and gc.get_threshold()[0] == NURSERY
    del old
    gc.collect()
    assert gone() is not None
gc.collect()
assert gone() is None
""")


def test_what_the_work_makes_is_collected_during_it():
    holds("""
with running():
    new = Thing()
    gone = weakref.ref(new)
    del new
    gc.collect()
    assert gone() is None
""")


def test_of_two_runs_the_last_one_ends_it():
    holds("""
first, second = running(), running()
first.__enter__()
second.__enter__()
first.__exit__(None, None, None)
assert gc.get_threshold()[0] == NURSERY and gc.get_freeze_count()
second.__exit__(None, None, None)
""")


def test_work_that_fails_ends_it_too():
    holds("""
try:
    with running():
        raise RuntimeError
except RuntimeError:
    assert gc.get_freeze_count() == 0
else:
    raise AssertionError
""")


def test_the_search_for_garbage_rests_until_the_last_one_is_done() -> None:
    assert gc.isenabled()
    with building():
        with building():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_search_for_garbage_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="broken"), building():
        raise ValueError("broken")
    assert gc.isenabled()
