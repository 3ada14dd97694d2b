"""Methods whose results stay in memory."""

import gc
import weakref

from core.base.cached_method import cached_method


class Counting:
    """Counts what it computes."""

    def __init__(self) -> None:
        self.computed = 0

    @cached_method(8)
    def double(self, number: int) -> int:
        """Twice the number."""
        self.computed += 1
        return 2 * number


def test_each_object_has_a_cache_of_its_own_that_goes_with_it() -> None:
    one, other = Counting(), Counting()
    assert [one.double(2), one.double(2), other.double(2)] == [4, 4, 4] and (one.computed, other.computed) == (1, 1)
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None and Counting.double.__doc__ == "Twice the number."
