"""CPU time and peak memory of each form in which a run is taken away.

    python -m benchmarks.big_run FOLDER --conversations 10000 --calls 0
    python -m benchmarks.exports FOLDER

Each form is written by a process of its own, so that its peak is its own; `nothing` is a process that only loads the
program and reads the run once. Of the peak, what lies in mapped files (libraries, and the dictionary that Japanese is
read with) is told beside it: the system shares it among processes and can take it back.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.process_memory import peak_mb


def main() -> None:
    """Measure the largest run of a data folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--form", default="")
    chosen = parser.parse_args()
    os.environ["KIKU_DATA_DIR"] = str(chosen.folder)
    if chosen.form:
        one(chosen.form)
        return
    for form in ("nothing", "csv", "jsonl", "xlsx", "html"):
        command = [sys.executable, "-m", "benchmarks.exports", str(chosen.folder), "--form", form]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


def one(form: str) -> None:
    """Write one form to a temporary file; prints seconds, peak memory and size."""
    from core.export.run_export import Export
    from core.store.store import open_store

    store = open_store()
    run = max(store.runs.all(), key=lambda each: each.total)
    export = Export(store, run.id, "ja", 0.9, 0.7)
    began = time.process_time()
    with tempfile.TemporaryFile() as out:
        if form == "nothing":
            turns = sum(len(talk.turns) for talk in export.conversations())
            print(f"{run.total:,} conversations, {turns:,} turns")
        else:
            export.write(form, out)  # type: ignore[arg-type]
        size = os.fstat(out.fileno()).st_size / 1e6
    took = time.process_time() - began
    print(f"{form:8} {took:7.1f} s {peak_mb():7.0f} MB peak ({_mapped():.0f} MB mapped files) {size:8.1f} MB file")


def _mapped() -> float:
    """Megabytes of mapped files in memory (Linux)."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssFile"))


if __name__ == "__main__":
    main()
