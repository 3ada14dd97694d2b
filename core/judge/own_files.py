"""Loading the judges of a bot's `judges/` folder, and no other; a file is run again when it has changed."""

from __future__ import annotations

import hashlib
import re
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import get_args

from core.base.errors import BadInput
from core.base.types import Bot
from core.judge.criteria.own import check_name
from core.judge.judge import Judge, Need
from core.judge.own import OwnJudge, broken_judge, collecting, line_of, own_judge, problem, takes, told
from core.judge.version import version_of

_MARKED = re.compile(
    r"^@(?:\w+\.)?judge\b(?:\((?P<given>.*?)\))?[^\n]*\n(?:@[^\n]*\n)*\s*(?:async\s+)?def\s+(?P<name>\w+)", re.M | re.S
)
_NAMED = re.compile(r"\bname\s*=\s*[\"']([^\"']+)[\"']")
_LOCK = threading.RLock()
_LOADED: dict[Path, tuple[str, Loaded]] = {}


@dataclass(frozen=True)
class Loaded:
    """Judges by their names without `own:`; by the same names, the file of each, and why those that cannot judge do not."""

    judges: dict[str, Judge] = field(default_factory=dict[str, Judge])
    problems: dict[str, BadInput] = field(default_factory=dict[str, BadInput])
    files: dict[str, str] = field(default_factory=dict[str, str])


def load_own(bot: Bot) -> Loaded:
    """The judges of all files; a file or judge that cannot be used is among the judges too, and says so in every row."""
    parts = [(file, _file(file)) for file in sorted((bot.folder / "judges").glob("*.py"))]
    counts = Counter(name for _, part in parts for name in part.judges)
    judges: dict[str, Judge] = {}
    problems: dict[str, BadInput] = {}
    for _, part in parts:
        judges |= part.judges
        problems |= part.problems
    for name in (name for name, count in counts.items() if count > 1):
        files = ", ".join(file.name for file, part in parts if name in part.judges)
        problems[name] = problem("own_clash", name=name, files=files)
        judges[name] = _broken(name, problems[name])
    return Loaded(judges, problems, {name: file.name for file, part in parts for name in part.judges})


def _file(file: Path) -> Loaded:
    """One file; it is run once for each content that it has."""
    if not file.resolve().is_relative_to(file.parent.resolve()):
        return _alone(file.stem, problem("own_outside", file=file.name))
    try:
        source = file.read_bytes()
        text = source.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        return _alone(file.stem, problem("own_unreadable", file=file.name, detail=told(error)))
    digest = hashlib.sha256(source).hexdigest()
    with _LOCK:
        if file not in _LOADED or _LOADED[file][0] != digest:
            _LOADED[file] = (digest, _run(file, text))
        return _LOADED[file][1]


def _run(file: Path, text: str) -> Loaded:
    name = f"kiku_own_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module  # dataclasses and pickles look it up there
    try:
        with collecting() as made:
            exec(compile(text, str(file), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        wrong = problem("own_broken", file=file.name, line=line_of(error, file), detail=told(error))
        return _all_broken(_names_in(text) or [file.stem], wrong)
    if not made:
        return _alone(file.stem, problem("own_nothing", file=file.name))
    return _judges(file, made, version_of(text))


def _judges(file: Path, made: list[OwnJudge], version: str) -> Loaded:
    judges: dict[str, Judge] = {}
    problems: dict[str, BadInput] = {}
    counts = Counter(own.name for own in made)
    for own in made:
        wrong = _wrong(own, file) or _twice(own.name, counts, file)
        judges[own.name] = _broken(own.name, wrong) if wrong else own_judge(own, file, version)
        if wrong:
            problems[own.name] = wrong
    return Loaded(judges, problems)


def _wrong(own: OwnJudge, file: Path) -> BadInput | None:
    try:
        check_name(own.name)
    except BadInput:
        return problem("own_name", file=file.name, name=own.name)
    if not takes(own.function):
        return problem("own_takes", file=file.name, name=own.name)
    if set(own.needs) - set(get_args(Need)):
        return problem("own_needs", file=file.name, name=own.name, known=", ".join(get_args(Need)))
    return None


def _twice(name: str, counts: Counter[str], file: Path) -> BadInput | None:
    return problem("own_clash", name=name, files=f"{file.name} × {counts[name]}") if counts[name] > 1 else None


def _names_in(text: str) -> list[str]:
    """The names of the judges in a file that cannot be run, as far as they can be read."""
    found: list[str] = []
    for match in _MARKED.finditer(text):
        named = _NAMED.search(match["given"] or "")
        found.append(named[1] if named else match["name"])
    return list(dict.fromkeys(found))


def _alone(name: str, wrong: BadInput) -> Loaded:
    return _all_broken([name], wrong)


def _all_broken(names: list[str], wrong: BadInput) -> Loaded:
    return Loaded({name: _broken(name, wrong) for name in names}, dict.fromkeys(names, wrong))


def _broken(name: str, wrong: BadInput) -> Judge:
    return broken_judge(f"own:{name}", wrong)
