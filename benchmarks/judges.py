"""Measure the judges against people's labels, beside the usual baselines.

    python -m benchmarks.judges --data DIR [--vectors]

DIR holds the public sets, each in a folder with dev.jsonl; --vectors adds similarity of sentence vectors (minutes).
Every part is a module judges_*.py beside this file with a function `report(data, vectors)`.
"""

from __future__ import annotations

from importlib import import_module

from benchmarks.command_line import argument_parser

PARTS = ("judges_correctness", "judges_grounding")


def main() -> None:
    arguments = argument_parser(__doc__, "--data")
    arguments.add_argument("--vectors", action="store_true")
    arguments.add_argument("--only", choices=PARTS)
    options = arguments.parse_args()
    if not options.data.is_dir():
        raise SystemExit(
            f"{options.data} is not a folder: give the one that holds evouna/, nq301_human/ and the others."
        )
    for name in PARTS:
        if options.only in (None, name):
            import_module(f"benchmarks.{name}").report(options.data, options.vectors)


if __name__ == "__main__":
    main()
