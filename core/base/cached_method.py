"""A method whose results are cached for each object."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import MethodType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


def cached_method(maxsize: int) -> Callable[[Callable[Concatenate[Any, P], R]], Callable[Concatenate[Any, P], R]]:
    """Cache the last `maxsize` results of a method, for each object separately and as long as it lives.

    `lru_cache` on the method itself would keep all objects alive, and share one cache among them.
    """
    return lambda method: cast(Any, _CachedMethod(method, maxsize))


class _CachedMethod:
    """A descriptor like `cached_property`: after the first call the object itself has the cached method."""

    def __init__(self, method: Callable[..., Any], maxsize: int) -> None:
        self.__doc__ = method.__doc__
        self._method, self._maxsize, self._name = method, maxsize, method.__name__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._method
        cached = lru_cache(maxsize=self._maxsize)(MethodType(self._method, instance))
        return cast(dict[str, Any], vars(instance)).setdefault(self._name, cached)
