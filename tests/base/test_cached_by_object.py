"""Functions whose results are cached for each first argument."""

import gc
import weakref

from core.base.cached_by_object import cached_by_object


class Desk:
    """An object to compute something of."""


def test_each_first_argument_has_a_cache_of_its_own_that_goes_with_it() -> None:
    computed: list[tuple[Desk, int]] = []

    @cached_by_object(2)
    def double(desk: Desk, number: int) -> int:
        """Twice the number."""
        computed.append((desk, number))
        return 2 * number

    one, other = Desk(), Desk()
    assert [double(one, 2), double(one, 2), double(other, 2), double(one, 3)] == [4, 4, 4, 6]
    assert computed == [(one, 2), (other, 2), (one, 3)]
    assert double(one, 4) == 8 and double(one, 2) == 4 and len(computed) == 5  # the oldest result was dropped
    vars(double)["cache_clear"]()
    computed.clear()
    assert double(one, 4) == 8 and computed == [(one, 4)]
    gone = weakref.ref(one)
    computed.clear()
    del one
    gc.collect()
    assert gone() is None and double.__doc__ == "Twice the number."
