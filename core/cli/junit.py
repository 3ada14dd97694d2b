"""JUnit XML, which CI servers read: a test suite per kind of scenario, a test case per conversation or pair."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import junitparser

from core.base.errors import BadInput
from core.base.files import check_writable, write_bytes
from core.cli.exit_codes import BELOW_PASS_MARK

JUnitState = Literal["passed", "failed", "error", "skipped"]
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_RESULTS = {"failed": junitparser.Failure, "error": junitparser.Error, "skipped": junitparser.Skipped}
xml: Any = junitparser  # typed too loosely to be checked


class CommandOutcome(NamedTuple):
    """How a command ends: its exit code, a line each for standard error, and details for the report.

    broken: whether the reason is that conversations failed or have no score.
    """

    code: int
    messages: tuple[str, ...] = ()
    details: str = ""
    broken: bool = False


class JUnitTest(NamedTuple):
    """One test; `message`: one line why it did not pass, `details`: the full text (of a passed one: its output)."""

    suite: str
    group: str
    name: str
    state: JUnitState
    message: str = ""
    details: str = ""
    seconds: float = 0.0


def outcome_test(kind: str, name: str, outcome: CommandOutcome, summary: str) -> JUnitTest:
    """The test that stands for the command: a failure if it exits with 1, an error with 3 or more, else passed."""
    state: JUnitState = "passed" if not outcome.code else "failed" if outcome.code == BELOW_PASS_MARK else "error"
    details = "\n".join(part for part in (summary, *outcome.messages, outcome.details) if part)
    return JUnitTest(kind, kind, name, state, " ".join(outcome.messages) or summary, details)


def case_name(scenario: str, persona: str, repeat: int, question: str) -> str:
    """A conversation as a test is named, whichever command tests it."""
    return f"{scenario} {persona} #{repeat}: {' '.join(question.split())}"


def check_report(file: str | None) -> None:
    """Raises BadInput, before any work is done, if the file (None: no report) cannot be written."""
    if file is None:
        return
    if file in ("", "-"):
        raise BadInput("--junit needs a file, since standard output has the summary.")
    if Path(file).is_dir():
        raise BadInput(f"{file} is a folder. Give the path of a file in it.")
    check_writable(Path(file))


def write_junit(file: str, name: str, tests: Iterable[JUnitTest]) -> None:
    """Write the tests as JUnit XML (UTF-8), suites in the order of their first test; raises BadInput if it cannot."""
    suites: dict[str, Any] = {}
    for test in tests:
        suites.setdefault(test.suite, xml.TestSuite(_clean(test.suite))).add_testcase(_case(test))
    report = xml.JUnitXml(_clean(name))
    for suite in suites.values():
        report.add_testsuite(suite)
    report.update_statistics()
    write_bytes(Path(file), report.tostring())


def _case(test: JUnitTest) -> Any:
    case = xml.TestCase(_clean(test.name), _clean(test.group), round(test.seconds, 3))
    if test.state != "passed":
        result: Any = _RESULTS[test.state](_clean(test.message))
        result.text = _clean(test.details)
        case.result = [result]
    elif test.details:
        case.system_out = _clean(test.details)
    return case


def _clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return _NOT_IN_XML.sub("", text)
