"""`serve`: serve the pages."""

from __future__ import annotations

import argparse
import importlib.util
import os
import socket
import sys
import tempfile

from core.base.errors import BadInput
from core.base.settings import ROOT, settings


def run(arguments: argparse.Namespace) -> int:
    """Start Streamlit on 127.0.0.1, in place of this process; raises BadInput for a taken port or a read-only folder."""
    check_port(arguments.port)
    check_data_folder()
    if importlib.util.find_spec("streamlit") is None:
        raise BadInput("Streamlit is not installed in this Python. Run `make install` and try again.")
    print(f"Kiku: http://127.0.0.1:{arguments.port}", flush=True)
    os.chdir(ROOT)
    command = [sys.executable, "-m", "pages.start", "run", "app.py", "--server.port", str(arguments.port)]
    os.execv(sys.executable, command)


def check_port(port: int) -> None:
    """Raises BadInput if another program listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise BadInput(
                f"Port {port} cannot be used ({error.strerror}). Stop the program that uses it, or choose another: "
                f"make run PORT={port + 1}."
            ) from error


def check_data_folder() -> None:
    """Raises BadInput if nothing can be written to the data folder."""
    folder = settings().data_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInput(
            f"The data folder {folder} is not writable ({error.strerror}). Make it writable or set KIKU_DATA_DIR to "
            "another folder.",
            "data_folder",
            folder=str(folder),
            detail=error.strerror,
        ) from error
