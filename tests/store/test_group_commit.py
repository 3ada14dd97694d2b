"""What several threads store at the same moment goes into one transaction, and each learns how its own work ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, Engine, create_engine, text

from core.store.group_commit import GroupCommit

THREADS = 8


class Transactions:
    """Opens transactions on a table of numbers; the first one waits until it is told to go on."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.begun, self.go_on = engine, 0, threading.Event()
        self.first_is_open = threading.Event()

    @contextmanager
    def begin(self) -> Generator[Connection]:
        self.begun += 1
        with self.engine.begin() as connection:
            if self.begun == 1:
                self.first_is_open.set()
                self.go_on.wait(10)
            yield connection

    def numbers(self) -> set[int]:
        with self.engine.connect() as connection:
            return {row[0] for row in connection.execute(text("select number from numbers"))}


@pytest.fixture
def transactions(tmp_path) -> Generator[Transactions]:
    engine = create_engine(f"sqlite:///{tmp_path}/numbers.db")
    with engine.begin() as connection:
        connection.execute(text("create table numbers (number integer primary key)"))
    yield Transactions(engine)
    engine.dispose()


def insert(number: int):
    def work(connection: Connection) -> int:
        connection.execute(text("insert into numbers values (:number)"), {"number": number})
        if number < 0:
            raise ValueError(f"{number} is below zero")
        return number

    return work


def store_together(transactions: Transactions, numbers: list[int]) -> list[int | Exception]:
    """Store the first number, and the others while its transaction is open; gives each one's result or exception."""
    group = GroupCommit(transactions.begin)
    with ThreadPoolExecutor(THREADS) as threads:
        first = threads.submit(group.run, insert(numbers[0]))
        assert transactions.first_is_open.wait(10)
        others = [threads.submit(group.run, insert(number)) for number in numbers[1:]]
        time.sleep(0.2)  # they wait by now, most of them at least
        transactions.go_on.set()
        return [future.exception() or future.result() for future in (first, *others)]  # pyright: ignore


def test_those_who_wait_share_the_next_transaction(transactions: Transactions) -> None:
    assert store_together(transactions, [0, 1, 2, 3, 4]) == [0, 1, 2, 3, 4]
    assert transactions.numbers() == {0, 1, 2, 3, 4} and transactions.begun < 5


def test_who_fails_learns_why_and_the_others_are_stored(transactions: Transactions) -> None:
    results = store_together(transactions, [0, 1, -2, 3])
    assert [str(one) for one in results] == ["0", "1", "-2 is below zero", "3"]
    assert transactions.numbers() == {0, 1, 3}


def test_an_interrupted_writer_leaves_nobody_waiting(transactions: Transactions) -> None:
    group = GroupCommit(transactions.begin)
    transactions.go_on.set()

    def interrupted(connection: Connection) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        group.run(interrupted)
    assert group.run(insert(7)) == 7 and transactions.numbers() == {7}
