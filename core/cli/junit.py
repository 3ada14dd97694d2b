"""JUnit XML: what CI servers read; a test suite per kind of scenario, a test case per conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import junitparser

from core.base.errors import BadInput
from core.base.files import check_writable, write_bytes

State = Literal["passed", "failed", "error", "skipped"]
_XML_REFUSES = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_RESULTS = {"failed": junitparser.Failure, "error": junitparser.Error, "skipped": junitparser.Skipped}
xml: Any = junitparser  # typed too loosely to be checked


class TestLine(NamedTuple):
    """One test; `told`: one line why it did not pass, `details`: everything behind it (of a passed one: its output)."""

    suite: str
    group: str
    name: str
    state: State
    told: str = ""
    details: str = ""
    seconds: float = 0.0


def check_report(file: str | None) -> None:
    """Raises BadInput, before any work is done, where the file (none: no report) cannot be written."""
    if file is None:
        return
    if file in ("", "-"):
        raise BadInput("--junit needs a file, since standard output has the summary.")
    if Path(file).is_dir():
        raise BadInput(f"{file} is a folder. Give the path of a file in it.")
    check_writable(Path(file))


def write_junit(file: str, name: str, lines: Iterable[TestLine]) -> None:
    """Write the tests as JUnit XML (UTF-8), suites in the order of their first test; raises BadInput where it cannot."""
    suites: dict[str, Any] = {}
    for line in lines:
        suite = suites.setdefault(line.suite, xml.TestSuite(_clean(line.suite)))
        suite.add_testcase(_case(line))
    report = xml.JUnitXml(_clean(name))
    for suite in suites.values():
        report.add_testsuite(suite)
    report.update_statistics()
    write_bytes(Path(file), report.tostring())


def _case(line: TestLine) -> Any:
    case = xml.TestCase(_clean(line.name), _clean(line.group), round(line.seconds, 3))
    if line.state != "passed":
        result: Any = _RESULTS[line.state](_clean(line.told))
        result.text = _clean(line.details)
        case.result = [result]
    elif line.details:
        case.system_out = _clean(line.details)
    return case


def _clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return _XML_REFUSES.sub("", text)


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
