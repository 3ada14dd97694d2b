"""Runs many commands of the checkout in the current folder, in one process (see benchmarks.same_results)."""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
import time
import traceback
import types
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def drive(plan: Sequence[tuple[str, str, list[str]]]) -> None:
    """Run commands (folder for their output, name, arguments) one after another as `python -m core` would."""
    sys.path[0] = os.getcwd()
    codes: dict[str, dict[str, Any]] = {folder: {} for folder, _, _ in plan}
    seconds: dict[str, dict[str, float]] = {folder: {} for folder, _, _ in plan}
    for folder, name, arguments in plan:
        out = Path(folder)
        filled = [_filled(out, text) for text in arguments]
        start = time.perf_counter()
        codes[folder][name] = _exit_code(filled, out / f"{name}.stdout", out / f"{name}.stderr")
        seconds[folder][name] = round(time.perf_counter() - start, 1)
    for folder in codes:
        (Path(folder) / "codes.json").write_text(json.dumps(codes[folder]), "utf-8")
        (Path(folder) / "seconds.json").write_text(json.dumps(seconds[folder]), "utf-8")


class LetterCounts:
    """Stands in for a sentence-transformers model: counts of three letters in a row, hashed to 384 places."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Whatever model is named."""

    def encode(self, texts: Sequence[str], *_: Any, **__: Any) -> Any:
        """Unit vectors, float32, shape (len(texts), 384)."""
        rows = np.zeros((len(texts), 384), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place in range(max(1, len(text) - 2)):
                row[zlib.crc32(text[place : place + 3].lower().encode()) % 384] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def stand_in_for_sentence_vectors() -> None:
    """Let `import sentence_transformers` give the stand-in, and torch stay unloaded."""
    module: Any = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = LetterCounts
    logging: Any = types.ModuleType("transformers.utils.logging")
    logging.disable_progress_bar = lambda: None
    names = ("sentence_transformers", "transformers", "transformers.utils", "transformers.utils.logging")
    for name, found in zip(
        names, (module, types.ModuleType(names[1]), types.ModuleType(names[2]), logging), strict=True
    ):
        sys.modules[name] = found


def _filled(out: Path, text: str) -> str:
    """The run that a command printed for `{run:NAME}`; every other argument as it is."""
    found = re.fullmatch(r"\{run:(.+)\}", text)
    printed = (out / f"{found[1]}.stdout").read_text("utf-8") if found else ""
    return str(json.loads(printed or '{"run": "none"}')["run"]) if found else text


def _exit_code(arguments: Sequence[str], stdout: Path, stderr: Path) -> Any:
    """The exit code of one command, whose output goes to files; "crashed" if it raised."""
    before = [os.dup(1), os.dup(2)]
    for number, file in ((1, stdout), (2, stderr)):
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["core", *arguments]
    try:
        runpy.run_module("core", run_name="__main__", alter_sys=True)
        return 0
    except SystemExit as end:
        return end.code or 0
    except BaseException:
        traceback.print_exc()
        return "crashed"
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, saved in enumerate(before, 1):
            os.dup2(saved, number)
            os.close(saved)


if __name__ == "__main__":
    if sys.argv[1] == "quick":
        stand_in_for_sentence_vectors()
    drive(json.load(sys.stdin))
