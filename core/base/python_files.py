"""Runs a user's Python file: what it may import from its folder, and the line of an error in it."""

from __future__ import annotations

import builtins
import hashlib
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from core.base.clean_text import clean


def run_module(
    file: Path, text: str, around_helpers: Callable[[], AbstractContextManager[object]] = nullcontext
) -> ModuleType:
    """Run the text of a file as a module, with `print` to standard error; raises what the file raises.

    around_helpers: the context in which files that it imports from its own folder (`_name.py`) run
    """
    return _Folder(file.parent, around_helpers).run(file, text)


def helper_files(folder: Path) -> dict[str, bytes]:
    """The files that judges may import, by name; unreadable files and links that leave the folder are skipped."""
    contents: dict[str, bytes] = {}
    for file in sorted(folder.glob("_*.py")):
        with suppress(OSError):
            if _inside(folder, file):
                contents[file.name] = file.read_bytes()
    return contents


class _Folder:
    """The modules of one run of a file: each run has its own, so that two bots may use the same names."""

    def __init__(self, folder: Path, around_helpers: Callable[[], AbstractContextManager[object]]) -> None:
        self._folder, self._around_helpers = folder, around_helpers
        self._modules: dict[str, ModuleType] = {}
        self._builtins = {**vars(builtins), "__import__": self._import, "print": _print}

    def run(self, file: Path, text: str) -> ModuleType:
        name = f"kiku_own_{hashlib.sha256(str(file).encode('utf-8', 'replace')).hexdigest()[:12]}"
        module = ModuleType(name)
        module.__file__ = str(file)
        module.__dict__["__builtins__"] = self._builtins
        sys.modules[name] = module  # dataclasses and pickles look it up there
        self._modules[file.stem] = module
        exec(compile(text, str(file), "exec"), module.__dict__)
        return module

    def _import(
        self,
        name: str,
        names: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """As Python's own, but for a file `_name.py` of this folder."""
        file = self._folder / f"{name}.py"
        if not name.startswith("_") or level > 1 or not _inside(self._folder, file):
            return builtins.__import__(name, names, local, fromlist or (), level)
        if name not in self._modules:
            try:
                with self._around_helpers():
                    self.run(file, file.read_text("utf-8-sig"))
            except BaseException:
                self._modules.pop(name, None)
                raise
        return self._modules[name]


def _inside(folder: Path, file: Path) -> bool:
    return file.is_file() and file.resolve().is_relative_to(folder.resolve())


def _print(*args: Any, file: Any = None, **named: Any) -> None:
    """`print`, but not among the results of a command."""
    print(*args, file=file or sys.stderr, **named)


def error_line(error: BaseException, file: Path) -> int:
    """The line of the file at which the error occurred; 0 if it occurred elsewhere."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno or 0
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno or 0 for frame in reversed(frames) if frame.filename == str(file)), 0)


def describe_error(error: BaseException) -> str:
    """An error as its kind and message, on one line."""
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:
        text = ""
    return clean(f"{type(error).__name__}: {' '.join(text.split())}".removesuffix(": ")[:300])
