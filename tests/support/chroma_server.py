"""A real Chroma server for tests, as `chroma run` starts it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from tests.support.loopback import free_port


class ChromaServer:
    """A server on loopback with a folder of its own; it can be stopped and started again."""

    def __init__(self) -> None:
        self.folder, self.port = Path(tempfile.mkdtemp(prefix="kiku-chroma-")), free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def up(self) -> None:
        """Start; back once its heart beats."""
        program = Path(sys.executable).with_name("chroma")
        command = [str(program), "run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not self._beats():
            assert self._process.poll() is None and time.monotonic() < until, "chroma run did not come up"
            time.sleep(0.05)

    def down(self) -> None:
        """Stop, as a crash would."""
        if self._process:
            self._process.kill()
            self._process.wait(20)
            self._process = None

    def remove(self) -> None:
        """Stop, and leave nothing behind."""
        self.down()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _beats(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/v2/heartbeat", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False
