"""Running a Python file of the judges folder: files beside it that begin with an underscore can be imported."""

from __future__ import annotations

import builtins
import hashlib
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from core.judge.own import collecting


def run_module(file: Path, text: str) -> ModuleType:
    """Run the text of a file as a module, with `print` to standard error; raises whatever the file raises."""
    return _Folder(file.parent).run(file, text)


def beginning_with_underscore(folder: Path) -> dict[str, bytes]:
    """The files that judges may import, by name; what cannot be read or leads out of the folder is left out."""
    found: dict[str, bytes] = {}
    for file in sorted(folder.glob("_*.py")):
        with suppress(OSError):
            if _inside(folder, file):
                found[file.name] = file.read_bytes()
    return found


class _Folder:
    """The modules of one run of a file: each run has its own, so that two bots may call theirs the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
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
        """As Python's own, but for a file that helps the judges of this folder."""
        file = self._folder / f"{name}.py"
        if not name.startswith("_") or level > 1 or not _inside(self._folder, file):
            return builtins.__import__(name, names, local, fromlist or (), level)
        if name not in self._modules:
            try:
                with collecting():  # what is marked in a file that only helps is no judge
                    self.run(file, file.read_text("utf-8-sig"))
            except BaseException:
                self._modules.pop(name, None)
                raise
        return self._modules[name]


def _inside(folder: Path, file: Path) -> bool:
    return file.is_file() and file.resolve().is_relative_to(folder.resolve())


def _print(*given: Any, file: Any = None, **named: Any) -> None:
    """`print`, but not among the results of a command."""
    print(*given, file=file or sys.stderr, **named)
