"""The options that many scripts have."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Literal


def argument_parser(about: str | None, *options: Literal["--data", "--write"]) -> argparse.ArgumentParser:
    """A parser whose help shows the script's docstring (`about`) as it is.

    --data: the folder with the public data sets, which the script needs; --write: to store what is fitted.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    if "--data" in options:
        parser.add_argument("--data", type=Path, required=True, help="folder with the public data sets")
    if "--write" in options:
        parser.add_argument("--write", action="store_true", help="store what is fitted")
    return parser
