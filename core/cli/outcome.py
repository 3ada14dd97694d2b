"""How a command ends in CI: its exit status, and the JUnit test that says the same."""

from __future__ import annotations

from typing import NamedTuple

from core.cli.junit import State, TestLine

ROUNDING = 1e-9  # the mean of 0.6 and 0.8 is 0.7


class Outcome(NamedTuple):
    """How a command ends: its exit status, what is said of it on standard error (one line each), what stands behind it.

    broken: whether conversations that failed or have no score are why.
    """

    code: int
    told: tuple[str, ...] = ()
    details: str = ""
    broken: bool = False


def whole_test(kind: str, name: str, outcome: Outcome, said: str) -> TestLine:
    """The test that stands for the command: a failure where it exits with 1, an error with 3 or more, else passed."""
    state: State = "passed" if not outcome.code else "failed" if outcome.code == 1 else "error"
    details = "\n".join(part for part in (said, *outcome.told, outcome.details) if part)
    return TestLine(kind, kind, name, state, " ".join(outcome.told) or said, details)


def beside(value: float, bar: float) -> str:
    """The value with as many digits (three at least) as tell it from the bar."""
    digits = next((count for count in range(3, 12) if round(value, count) != bar), 12)
    return f"{value:.{digits}f}"


def counted(number: int, what: str) -> str:
    """The number with its noun: 1 pair, 2 pairs."""
    return f"{number} {what}{'' if number == 1 else 's'}"
