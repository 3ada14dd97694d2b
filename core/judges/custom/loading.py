"""Loads the Python judges of a bot's `judges/` folder; a file runs again if it or a helper file changes."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from core.base.clean_text import clean
from core.base.errors import BadInput
from core.base.python_files import describe_error, error_line, helper_files, run_module
from core.base.types import Bot
from core.base.visitor_powers import is_allowed
from core.judges.base import Judge, Need
from core.judges.custom.criteria_file import check_name
from core.judges.custom.python_judges import PythonJudge, broken_judge, collecting, problem, python_judge, takes
from core.judges.version import version_of

_MARKERS = re.compile(
    r"^@(?:\w+\.)?judge\b(?:\((?P<given>.{0,1000}?)\))?[^\n]{0,200}+\n(?:@[^\n]{0,200}+\n){0,9}+\s*+(?:async\s+)?def\s+(?P<name>\w+)",
    re.M | re.S,
)
_NAMED = re.compile(r"\bname\s*=\s*[\"']([^\"']+)[\"']")
_LOCK = threading.RLock()
_LOADED: dict[Path, tuple[str, CustomJudges]] = {}


@dataclass(frozen=True)
class CustomJudges:
    """The Python judges of a bot; all dictionaries are by the judge's name without `custom:`."""

    judges: dict[str, Judge] = field(default_factory=dict[str, Judge])
    problems: dict[str, BadInput] = field(default_factory=dict[str, BadInput])  # of judges that cannot be used
    files: dict[str, str] = field(default_factory=dict[str, str])
    unread: tuple[tuple[BadInput, str], ...] = ()  # (problem, text) of each file that did not run

    def may_hold(self, name: str) -> BadInput | None:
        """The problem of a file that did not run and may define a judge of that name; None without one."""
        return next((wrong for wrong, text in self.unread if name in text or not _names_in(text)), None)


def load_custom(bot: Bot) -> CustomJudges:
    """The judges of all files; one that cannot be used is included, and its scores have the error.

    Empty if this server does not run the Python of visitors.
    """
    parts = [(file, _file(file)) for file in _files(bot.folder / "judges")] if is_allowed("python") else []
    counts = Counter(name for _, part in parts for name in part.judges)
    judges: dict[str, Judge] = {}
    problems: dict[str, BadInput] = {}
    for _, part in parts:
        judges |= part.judges
        problems |= part.problems
    for name in (name for name, count in counts.items() if count > 1):
        files = ", ".join(file.name for file, part in parts if name in part.judges)
        problems[name] = problem("custom_clash", name=name, files=files)
        judges[name] = _broken(name, problems[name])
    files = {name: file.name for file, part in parts for name in part.judges}
    return CustomJudges(judges, problems, files, tuple(one for _, part in parts for one in part.unread))


def _files(folder: Path) -> list[Path]:
    """The files with judges: all but helper files, whose names begin with an underscore."""
    return sorted(file for file in folder.glob("*.py") if not file.name.startswith("_"))


def _file(file: Path) -> CustomJudges:
    """The judges of one file, which runs once per version of its content."""
    if not file.is_file():  # a folder, a FIFO (reading would block) or a broken link
        return _alone(file.stem, problem("custom_unreadable", file=file.name, detail="not a file"), ran=False)
    if not file.resolve().is_relative_to(file.parent.resolve()):
        return _alone(file.stem, problem("custom_outside", file=file.name), ran=False)
    try:
        source = file.read_bytes()
        text = source.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return _alone(file.stem, problem("custom_unreadable", file=file.name, detail=describe_error(error)), ran=False)
    beside = helper_files(file.parent)
    digest = hashlib.sha256(b"\0".join((source, *beside.values()))).hexdigest()
    with _LOCK:
        if file not in _LOADED or _LOADED[file][0] != digest:
            _LOADED[file] = (digest, _run(file, text, beside))
        return _LOADED[file][1]


def _run(file: Path, text: str, beside: dict[str, bytes]) -> CustomJudges:
    try:
        with collecting() as made:
            run_module(file, text, collecting)  # `@judge` in a helper file makes no judge
    except MemoryError:
        raise
    except BaseException as error:  # also what would end the thread, such as sys.exit()
        wrong = problem("custom_broken", file=file.name, line=error_line(error, file), detail=describe_error(error))
        return _all_broken(_names_in(text) or [file.stem], wrong, ((wrong, text),))
    if not made:
        return _alone(file.stem, problem("custom_nothing", file=file.name))
    return _judges(file, made, version_of(text, *(source.decode("utf-8", "replace") for source in beside.values())))


def _judges(file: Path, made: list[PythonJudge], version: str) -> CustomJudges:
    judges: dict[str, Judge] = {}
    problems: dict[str, BadInput] = {}
    counts = Counter(own.name for own in made)
    for own in made:
        wrong = _wrong(own, file) or _twice(own.name, counts, file)
        judges[own.name] = _broken(own.name, wrong) if wrong else python_judge(own, file, version)
        if wrong:
            problems[own.name] = wrong
    return CustomJudges(judges, problems)


def _wrong(own: PythonJudge, file: Path) -> BadInput | None:
    try:
        check_name(own.name)
    except BadInput:
        return problem("custom_name", file=file.name, name=own.name)
    if not takes(own.function):
        return problem("custom_takes", file=file.name, name=own.name)
    if any(need not in get_args(Need) for need in own.needs):
        return problem("custom_needs", file=file.name, name=own.name, known=", ".join(get_args(Need)))
    return None


def _twice(name: str, counts: Counter[str], file: Path) -> BadInput | None:
    return problem("custom_clash", name=name, files=f"{file.name} × {counts[name]}") if counts[name] > 1 else None


def _names_in(text: str) -> list[str]:
    """The names of the judges in a file that cannot be run, as far as they can be read."""
    found: list[str] = []
    for match in _MARKERS.finditer(text):
        named = _NAMED.search(match["given"] or "")
        found.append(named[1] if named else match["name"])
    return list(dict.fromkeys(found))


def _alone(name: str, wrong: BadInput, ran: bool = True) -> CustomJudges:
    return _all_broken([clean(name)], wrong, () if ran else ((wrong, ""),))


def _all_broken(names: list[str], wrong: BadInput, unread: tuple[tuple[BadInput, str], ...]) -> CustomJudges:
    judges = {name: _broken(name, wrong) for name in names}
    return CustomJudges(judges, dict.fromkeys(names, wrong), unread=unread)


def _broken(name: str, wrong: BadInput) -> Judge:
    return broken_judge(f"custom:{name}", wrong)
