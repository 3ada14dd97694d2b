"""The memory of a process, as Linux reports it; used by the scripts that measure memory."""

from __future__ import annotations

import os
import resource
from pathlib import Path

MB = 2**20


def resident_mb(process: Path = Path("/proc/self")) -> float:
    """The resident set of a process at the moment, in MB (2^20 bytes)."""
    return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / MB


def peak_mb() -> float:
    """The highest resident set of this process so far, in MB (2^20 bytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
