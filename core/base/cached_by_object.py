"""A function whose results are cached for each object that it is called with first."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary, ref

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def cached_by_object(
    maxsize: int,
) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]:
    """Cache the last `maxsize` results of a function, for each first argument separately and as long as that lives.

    `lru_cache` would keep the first arguments alive, and share one cache among them. First arguments that are equal share
    a cache. The function must not return anything that holds its first argument.
    """

    def decorate(function: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
        caches = WeakKeyDictionary[T, Callable[P, R]]()

        @wraps(function)
        def cached(first: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
            found = caches.get(first)
            return (found or caches.setdefault(first, _cache(first)))(*args, **kwargs)

        def _cache(first: T) -> Callable[P, R]:
            alive = ref(first)

            def call(*args: P.args, **kwargs: P.kwargs) -> R:
                of: Any = alive()  # its caller holds it
                return function(of, *args, **kwargs)

            results: Any = lru_cache(maxsize=maxsize)(call)
            return results

        setattr(cached, "cache_clear", caches.clear)  # noqa: B010  (as functions of lru_cache have it)
        return cached

    return decorate
