"""A real Dask cluster for tests, with a Chroma server beside it: processes of their own on loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from distributed import Client

from core.base.settings import ROOT
from tests.support.loopback import free_port

BIN = Path(sys.executable).parent
QUIET = subprocess.DEVNULL


class DaskCluster:
    """A scheduler, and workers that can be killed; all of them see the environment that they were started in."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._started = [self._start("dask", "scheduler", "--port", str(self.port))]

    def add_workers(self, number: int = 1, **environment: str) -> None:
        """More worker processes, with four threads each; back when the scheduler knows them."""
        for _ in range(number):
            local = ("--local-directory", str(self.folder / f"worker-{len(self.workers)}"))
            command = (
                self.address,
                "--nworkers",
                "1",
                "--nthreads",
                "4",
                "--no-nanny",
                "--preload",
                "core.runs.cluster_worker",
                *local,
            )
            process = self._start("dask", "worker", *command, **environment)
            self.workers.append(process)
            self._started.append(process)
        living = sum(one.poll() is None for one in self.workers)
        with Client(self.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(living, timeout=120)

    def chroma(self) -> str:
        """The address of a Chroma server with an empty folder."""
        port = free_port()
        self._started.append(self._start("chroma", "run", "--path", str(self.folder / "chroma"), "--port", str(port)))
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/heartbeat", timeout=5).read()
                return f"http://127.0.0.1:{port}"
            except OSError:
                time.sleep(0.1)
        raise AssertionError("no Chroma server came up")

    def close(self) -> None:
        """Nothing of it is left."""
        for process in reversed(self._started):
            process.send_signal(signal.SIGKILL)
        for process in self._started:
            process.wait(20)

    def _start(self, program: str, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        alone = ("--host", "127.0.0.1", "--no-dashboard") if program == "dask" else ("--host", "127.0.0.1")
        with (self.folder / f"{program}-{arguments[0]}-{time.monotonic_ns()}.log").open("wb") as log:
            return subprocess.Popen(
                [str(BIN / program), *arguments, *alone],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT), "ANONYMIZED_TELEMETRY": "False", **environment},
                stdin=QUIET,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
