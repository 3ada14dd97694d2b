"""Loads the Python judges of a bot's `judges/` folder; a file runs again if it or a helper file changes."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from core.base.clean_text import clean
from core.base.errors import BadInput
from core.base.python_files import describe_error, error_line, helper_files, run_module
from core.base.types import Bot
from core.base.visitor_powers import is_allowed
from core.judges.base import ListedJudge, Need
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


class CustomJudges(NamedTuple):
    """The Python judges of a bot, or of one file."""

    judges: dict[str, ListedJudge]  # by name without `custom:`
    unread: tuple[tuple[BadInput, str], ...] = ()  # (problem, text) of each file that did not run

    def may_hold(self, name: str) -> BadInput | None:
        """The problem of a file that did not run and may define a judge of that name; None without one."""
        return next((wrong for wrong, text in self.unread if name in text or not _names_in(text)), None)


def load_custom(bot: Bot) -> CustomJudges:
    """The judges of all files; one that cannot be used is included, and its scores have the error.

    Empty if this server does not run the Python of visitors.
    """
    files = sorted((bot.folder / "judges").glob("*.py")) if is_allowed("python") else []
    parts = [_file(file) for file in files if not file.name.startswith("_")]  # the others are helper files
    found: dict[str, list[ListedJudge]] = defaultdict(list)
    for part in parts:
        for name, one in part.judges.items():
            found[name].append(one)
    judges = {name: same[0] if len(same) == 1 else _clash(name, same) for name, same in found.items()}
    return CustomJudges(judges, tuple(one for part in parts for one in part.unread))


def _file(file: Path) -> CustomJudges:
    """The judges of one file, which runs once per version of its content."""
    if not file.is_file():  # a folder, a FIFO (reading would block) or a broken link
        return _not_run(file, problem("custom_unreadable", file=file.name, detail="not a file"))
    if not file.resolve().is_relative_to(file.parent.resolve()):
        return _not_run(file, problem("custom_outside", file=file.name))
    try:
        source = file.read_bytes()
        text = source.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return _not_run(file, problem("custom_unreadable", file=file.name, detail=describe_error(error)))
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
        return _not_run(file, wrong, text)
    if not made:
        name = clean(file.stem)
        return CustomJudges({name: _broken(name, problem("custom_nothing", file=file.name), file.name)})
    version = version_of(text, *(source.decode("utf-8", "replace") for source in beside.values()))
    counts = Counter(own.name for own in made)
    return CustomJudges({own.name: _listed(own, file, version, counts[own.name]) for own in made})


def _listed(own: PythonJudge, file: Path, version: str, count: int) -> ListedJudge:
    """The judge of a function; count: how many functions of the file have its name."""
    if wrong := _wrong(own, file, count):
        return _broken(own.name, wrong, file.name)
    return ListedJudge(python_judge(own, file, version), file=file.name)


def _wrong(own: PythonJudge, file: Path, count: int) -> BadInput | None:
    try:
        check_name(own.name)
    except BadInput:
        return problem("custom_name", file=file.name, name=own.name)
    if not takes(own.function):
        return problem("custom_takes", file=file.name, name=own.name)
    if any(need not in get_args(Need) for need in own.needs):
        return problem("custom_needs", file=file.name, name=own.name, known=", ".join(get_args(Need)))
    return problem("custom_clash", name=own.name, files=f"{file.name} × {count}") if count > 1 else None


def _names_in(text: str) -> list[str]:
    """The names of the judges in a file that cannot be run, as far as they can be read."""
    found: list[str] = []
    for match in _MARKERS.finditer(text):
        named = _NAMED.search(match["given"] or "")
        found.append(named[1] if named else match["name"])
    return list(dict.fromkeys(found))


def _not_run(file: Path, wrong: BadInput, text: str = "") -> CustomJudges:
    """The judges that a file would have as far as its text tells, all broken."""
    names = _names_in(text) or [clean(file.stem)]
    return CustomJudges({name: _broken(name, wrong, file.name) for name in names}, ((wrong, text),))


def _clash(name: str, same: Sequence[ListedJudge]) -> ListedJudge:
    files = ", ".join(one.file for one in same)
    return _broken(name, problem("custom_clash", name=name, files=files), files)


def _broken(name: str, wrong: BadInput, file: str) -> ListedJudge:
    return ListedJudge(broken_judge(f"custom:{name}", wrong), wrong, file)
