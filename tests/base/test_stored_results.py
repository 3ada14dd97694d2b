"""What takes long to compute is stored, and computed again if what is stored cannot be read."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from core.base.stored_results import MAX_RESULTS, MAX_SECONDS, stored_result


class Number:
    """A number that counts how often it is computed."""

    def __init__(self) -> None:
        self.computed = 0

    def get(self, key: str = "7") -> int:
        """The number that the key says, from the store if it is there."""
        return stored_result(
            key,
            lambda: self._compute(key),
            lambda number, folder: (folder / "number").write_text(str(number)),
            lambda folder: int((folder / "number").read_text()),
        )

    def _compute(self, key: str) -> int:
        self.computed += 1
        return int(key)


def stored(home: Path) -> list[Path]:
    return sorted((home / "data" / "prepared").iterdir())


def test_a_result_is_computed_once_for_a_key(home: Path) -> None:
    number = Number()
    assert [number.get(), number.get(), number.get("8"), number.get()] == [7, 7, 8, 7]
    assert number.computed == 2
    assert len(stored(home)) == 2


def test_a_damaged_result_is_replaced(home: Path) -> None:
    number = Number()
    number.get()
    (stored(home)[0] / "number").write_text("seven")
    assert number.get() == 7
    assert (stored(home)[0] / "number").read_text() == "7"
    (stored(home)[0] / "number").unlink()
    assert [number.get(), number.get()] == [7, 7]
    assert number.computed == 3


@pytest.mark.parametrize("left", [0, 1, 200])
def test_arrays_of_which_only_the_beginning_was_written_are_replaced(home: Path, left: int) -> None:
    def get() -> list[int]:
        return stored_result("7", lambda: list(range(500)), save, load)

    def save(numbers: list[int], folder: Path) -> None:
        np.savez(folder / "numbers", numbers=np.array(numbers))

    def load(folder: Path) -> list[int]:
        with np.load(folder / "numbers.npz") as arrays:
            return arrays["numbers"].tolist()

    get()
    file = stored(home)[0] / "numbers.npz"
    whole = file.read_bytes()
    file.write_bytes(whole[:left])
    assert get() == list(range(500))
    assert file.read_bytes()[: len(whole) // 2] == whole[: len(whole) // 2]


def test_old_results_go(home: Path) -> None:
    for key in range(MAX_RESULTS + 3):
        Number().get(str(key))
    assert len(stored(home)) == MAX_RESULTS
    last = Number()
    last.get(str(MAX_RESULTS + 2))
    assert last.computed == 0


def test_a_folder_that_cannot_be_written_only_costs_time(home: Path) -> None:
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "prepared").write_text("a file in the way")
    assert [Number().get(), Number().get()] == [7, 7]


def test_an_error_while_storing_leaves_nothing_behind(home: Path) -> None:
    def fail(number: int, folder: Path) -> None:
        (folder / "half").write_text(str(number))
        raise OSError("the disk is full")

    assert stored_result("7", lambda: 7, fail, lambda folder: int((folder / "half").read_text())) == 7
    assert not stored(home)


def test_what_a_killed_process_left_half_stored_is_removed_later(home: Path) -> None:
    folder = home / "data" / "prepared"
    for name, age in ((".old", MAX_SECONDS + 60), (".new", 0.0)):
        (folder / name).mkdir(parents=True)
        os.utime(folder / name, (time.time() - age, time.time() - age))
    assert Number().get() == 7
    assert sorted(each.name for each in folder.iterdir() if each.name.startswith(".")) == [".new"]


def test_an_error_of_the_computation_is_not_hidden(home: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        stored_result("7", lambda: 1 // 0, lambda number, folder: None, lambda folder: int((folder / "x").read_text()))
