"""What a command prints: its result, and how far it is while somebody watches."""

from __future__ import annotations

import os
import sys


def print_result(text: str) -> None:
    """Print on standard output; a reader that has gone (`| head`) changes nothing about how the command ends."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Send standard output to nowhere from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def count_text(number: int, noun: str) -> str:
    """The number with its noun: 1 pair, 2 pairs."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def show_progress(line: str, is_last: bool = False) -> None:
    """Replace the line on standard error if that is a terminal."""
    if sys.stderr.isatty():
        print(f"\r{line}\x1b[K", end="\n" if is_last else "", file=sys.stderr, flush=True)


def show_count(done: int, total: int) -> None:
    """Show on such a line how many are done."""
    show_progress(f"{done} / {total}", done == total)
