"""Going on over a restart of the database server: what was broken off by a lost connection is done again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolExhausted

from core.base.errors import BadInput
from core.base.retry import retry

P = ParamSpec("P")
T = TypeVar("T")
# SQLSTATEs that pass: the server shuts down or starts up, has no connection left, or broke a deadlock
PASSING = ("57P01", "57P02", "57P03", "53300", "40P01", "40001", "25P03", "08")
# What the server says (in English, in Japanese) of an address that will not do however long one waits
REFUSED = ("password authentication failed", "no password supplied", "pg_hba.conf", "パスワード認証に失敗", "role ")
MISSING = ('database "', 'データベース"')


class DatabaseGone(BadInput):
    """The database server was lost, or is not there; nothing is known of the transaction."""


def lasting(method: Callable[P, T]) -> Callable[P, T]:
    """A method of one transaction that may be done twice: done again, after a while, where the connection was lost."""

    @wraps(method)
    def again(*args: P.args, **kwargs: P.kwargs) -> T:
        return retry(lambda: method(*args, **kwargs), DatabaseGone)

    return again


def passes(error: BaseException) -> bool:
    """Whether a transaction failed on PostgreSQL for a reason that does not lie in it."""
    if isinstance(error, PoolExhausted):
        return True
    if not isinstance(error, DBAPIError):
        return False
    if state := getattr(error.orig, "sqlstate", None):
        return str(state).startswith(PASSING)
    if not isinstance(error, OperationalError):
        return False
    return not any(words in str(error.orig) for words in (*REFUSED, *MISSING))  # no connection was made, or it broke
