"""Runs many commands of the checkout in the current folder, in one process (see benchmarks.same_results)."""

from __future__ import annotations

import json
import os
import re
import runpy
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def drive(out: Path) -> None:
    """Run the planned commands one after another as `python -m core` would, from the current folder."""
    sys.path[0] = os.getcwd()
    codes: dict[str, Any] = {}
    for name, arguments in json.loads((out / "plan.json").read_text("utf-8")):
        given = [re.sub(r"^\{run:(.+)\}$", lambda found: _run_id(out, found[1]), text) for text in arguments]
        start = time.perf_counter()
        codes[name] = _exit_code(given, out / f"{name}.stdout", out / f"{name}.stderr")
        print(f"{name}: {time.perf_counter() - start:.1f} s", file=(out / "seconds.txt").open("a"))
    (out / "codes.json").write_text(json.dumps(codes), "utf-8")


def _run_id(out: Path, name: str) -> str:
    return str(json.loads((out / f"{name}.stdout").read_text("utf-8") or '{"run": "none"}')["run"])


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
    drive(Path(sys.argv[1]))
