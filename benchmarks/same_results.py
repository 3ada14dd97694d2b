"""Compare the command line of two checkouts: the same transcripts, scores, turns and verdicts?

    python -m benchmarks.same_results OLD_CHECKOUT NEW_CHECKOUT [--data DIR] [--parts runs,turns,judges,sets] [--quick]

Each side runs in a process of its own, in its own checkout, with its own data folder and hash seed, on the embedded
engine. Exit status 1 if anything differs that is not listed in INTENDED. Reworded reasons and error sentences are
counted and shown, but do not fail. With --old-outputs the old side is stored there, and reused the next time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.judges_data import lines
from benchmarks.same_results_inputs import BOTS, OWN, conversation, judged_rows, turn_inputs, write_jsonl

Json = dict[str, Any]

# Keys of the exported JSON Lines that were renamed on purpose: old name to new name. Either is read.
RENAMED_KEYS: dict[str, str] = {}
# Differences that are meant to be there: a pattern of "part row path", and why. Empty it once the old side has them, too.
INTENDED: dict[str, str] = {}
# Never compared: they change from run to run, or with every change of a judge's prompt.
CHANGING = frozenset(
    ("id", "run", "conversation", "created_at", "started_at", "finished_at", "seconds", "version", "type", "at")
)
WORDING = ("reasons", "error")  # texts that may be reworded; whether there is one is compared
PARTS = ("runs", "turns", "judges", "sets")
DRIVER = Path(__file__).with_name("same_results_driver.py")
QUICK_LIMIT = 100  # conversations per bot
SHOWN = 3


@dataclass(frozen=True)
class Command:
    """A command line; `{in}` and `{out}` are folders, `{run:NAME}` is the run that the command NAME printed."""

    name: str
    arguments: tuple[str, ...]


@dataclass
class Result:
    """What came of comparing one kind of thing."""

    title: str
    compared: int = 0
    different: int = 0
    differences: list[str] = field(default_factory=list[str])
    intended: Counter[str] = field(default_factory=Counter[str])
    reworded: Counter[str] = field(default_factory=Counter[str])

    def compare(self, place: str, old: Any, new: Any, key: str = "") -> None:
        """Count one thing, and note each field of it that differs."""
        self.compared += 1
        found = [
            line for path, one, other in differences(old, new, key) if (line := self._note(place, path, one, other))
        ]
        self.different += bool(found)
        self.differences += found

    def _note(self, place: str, path: str, old: Any, new: Any) -> str:
        shown = f"{place} {path}: {_shown(old, new)}"
        if path.rpartition(".")[2] in WORDING and old and new and isinstance(old, str) and isinstance(new, str):
            self.reworded[_shown(old, new)] += 1
            return ""
        for pattern, why in INTENDED.items():
            if re.search(pattern, f"{self.title} {place} {path}"):
                self.intended[why] += 1
                return ""
        return shown

    def show(self) -> None:
        """A line with the counts, then the first differences."""
        mark = "DIFFERENT" if self.differences else "same"
        reworded = f", reasons differ: {self.reworded.total()}" if self.reworded else ""
        print(f"{mark:9} {self.title}: {self.compared} compared, {self.compared - self.different} equal{reworded}")
        for line in self.differences[:SHOWN]:
            print(f"          {line}")
        for line, count in self.reworded.most_common(SHOWN):
            print(f"          (reworded, {count} times) {line}")
        for why, count in self.intended.items():
            print(f"          (intended, {count} times) {why}")


def differences(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Path, old and new value of everything that differs, numbers also by type; changing fields are left out."""
    if isinstance(old, dict) and isinstance(new, dict):
        one, other = _known(old), _known(new)
        for key in dict.fromkeys((*one, *other)):
            yield from differences(one.get(key, "(missing)"), other.get(key, "(missing)"), f"{path}.{key}".strip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif type(old) is not type(new) or old != new:
        yield path, old, new


def _known(record: Json) -> Json:
    return {RENAMED_KEYS.get(key, key): value for key, value in record.items() if key not in CHANGING}


def _shown(old: Any, new: Any) -> str:
    """Both values, from a little before the place where they part."""
    one, other = (json.dumps(value, ensure_ascii=False) for value in (old, new))
    parted = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, parted - 20)
    return " -> ".join(
        f"{'…' * (start > 0)}{text[start : start + 140]}{'…' * (len(text) > start + 140)}" for text in (one, other)
    )


# What is run


def commands_of(part: str, inputs: Path, is_short: bool) -> list[Command]:
    """The commands of a part."""
    if part == "runs":
        return list(_run_commands(is_short))
    if part == "turns":
        return list(_turn_commands())
    if part == "sets":
        return list(_set_commands())
    return [
        Command(
            file.stem, ("judge", *_judges(file), "--in", f"{{in}}/judges/{file.name}", "--out", f"{{out}}/{file.name}")
        )
        for file in sorted((inputs / "judges").glob("*.jsonl"))
    ]


def _judges(file: Path) -> list[str]:
    return file.with_suffix(".judges").read_text("utf-8").split()


def _run_commands(is_short: bool) -> Iterator[Command]:
    limit = ("--limit", str(QUICK_LIMIT)) if is_short else ()
    for bot in BOTS:
        many = ("--personas", "all", "--questions", "all", "--seed", "1", *limit, "--json")
        yield Command(bot, ("simulate", "--bot", bot, *many))
        yield Command(f"{bot}-export", ("export", f"{{run:{bot}}}", "--jsonl", f"{{out}}/{bot}.jsonl"))
    name = "harbor-without-asking"
    other = ("--no-clarify", "--questions", "vague", "--repeats", "2", "--seed", "7", "--judges", "turn,simulated_user")
    yield Command(name, ("simulate", "--bot", "harbor", *other, "--language", "ja", "--json"))
    yield Command(f"{name}-export", ("export", f"{{run:{name}}}", "--jsonl", f"{{out}}/{name}.jsonl"))


def _turn_commands() -> Iterator[Command]:
    for number, one in enumerate(OWN["asks"]):
        history = ("--history", f"{{in}}/turns/history-{number}.jsonl") if "history" in one else ()
        spoken = () if one.get("spoken") else ("--json",)
        yield Command(f"ask-{number}", ("ask", one["text"], "--bot", one["bot"], *history, *spoken))
    for bot in ("", *BOTS):
        name = f"assess-{bot}" if bot else "assess"
        whose = ("--bot", bot) if bot else ()
        yield Command(name, ("assess", *whose, "--in", f"{{in}}/turns/{name}.jsonl", "--out", f"{{out}}/{name}.jsonl"))
    yield Command("rewrite", ("rewrite", "--in", "{in}/turns/rewrite.jsonl", "--out", "{out}/rewrite.jsonl"))
    for bot in BOTS:
        queries, out = f"{{in}}/turns/queries-{bot}.jsonl", f"{{out}}/search-{bot}.jsonl"
        yield Command(f"search-{bot}", ("search", "--bot", bot, "--queries", queries, "--out", out))
    of_file = ("--corpus", "{in}/turns/corpus.jsonl", "--queries", "{in}/turns/queries.jsonl", "--k", "5")
    yield Command("search-corpus", ("search", *of_file, "--out", "{out}/search-corpus.jsonl"))


def _set_commands() -> Iterator[Command]:
    """Questions from each bot's documents, and test sets after single documents."""
    for bot in BOTS:
        yield Command(f"set-{bot}", ("generate", "--bot", bot, "--seed", "1", "--out", f"{{out}}/set-{bot}.jsonl"))
    for bot, names in OWN["seed_documents"].items():
        for name in names:
            seed, out = f"knowledge/{bot}/documents/{name}.md", f"{{out}}/{bot}-{name}"
            yield Command(f"{bot}-{name}", ("generate", "--seed-documents", seed, "--count", "5", "--out", out))


def write_inputs(inputs: Path, checkout: Path, data: Path | None, is_short: bool) -> None:
    """Write everything that the commands read; both sides read the same."""
    for name, rows in turn_inputs(checkout, data, is_short).items():
        write_jsonl(inputs / "turns" / f"{name}.jsonl", rows)
    for number, one in enumerate(OWN["asks"]):
        if "history" in one:
            write_jsonl(inputs / "turns" / f"history-{number}.jsonl", conversation(one["history"]))
    for name, (judges, rows) in judged_rows(checkout, data, is_short).items():
        write_jsonl(inputs / "judges" / f"{name}.jsonl", rows)
        (inputs / "judges" / f"{name}.judges").write_text("\n".join(judges), "utf-8")


def run_side(checkout: Path, parts: dict[str, Path], inputs: Path, is_short: bool, hash_seed: str) -> None:
    """Run the commands of parts in a checkout, in one process; what they print and their exit codes go to the folders.

    With `quick` counts of letters stand in for the model of sentence vectors, which takes longest to load and to run.
    """
    plan: list[tuple[str, str, list[str]]] = []
    for part, out in parts.items():
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for one in commands_of(part, inputs, is_short):
            arguments = [text.replace("{in}", str(inputs)).replace("{out}", str(out)) for text in one.arguments]
            plan.append((str(out), one.name, arguments))
    with TemporaryDirectory(prefix="kiku-same-") as folder:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("KIKU_", "OPENAI_"))}
        own = {"KIKU_DATA_DIR": folder, "PYTHONHASHSEED": hash_seed}
        command, environment = (
            [sys.executable, str(DRIVER), "quick" if is_short else "whole"],
            json.dumps(plan, ensure_ascii=False),
        )
        ended = subprocess.run(command, cwd=checkout, env=inherited | own, input=environment, text=True)
    if ended.returncode:
        print(f"DIFFERENT the process in {checkout} ended with {ended.returncode}")


# What is compared


def compare_part(part: str, old: Path, new: Path) -> Iterator[Result]:
    """One result for each kind of output of a part."""
    yield _exit_codes(part, old, new)
    if part == "runs":
        for file in sorted(old.glob("*.jsonl")):
            yield from _compare_run(file.stem, old, new)
    else:
        for file in sorted(old.glob("*.jsonl")):
            yield _compare_rows(f"{part}/{file.stem}", file, new / file.name)
        for folder in sorted(place for place in old.iterdir() if place.is_dir()):
            yield _compare_files(f"{part}/{folder.name}", folder, new / folder.name)
        yield from _compare_asks(old, new) if part == "turns" else ()


def _exit_codes(part: str, old: Path, new: Path) -> Result:
    result = Result(f"{part}/exit codes")
    one, other = (json.loads((side / "codes.json").read_text("utf-8")) for side in (old, new))
    for name, code in one.items():
        result.compare(name, code, other.get(name))
        if code != other.get(name):
            result.differences.append(f"{name} says: {(new / f'{name}.stderr').read_text('utf-8')[-600:].strip()}")
    return result


def _compare_rows(title: str, old: Path, new: Path) -> Result:
    """Rows by id (and judge and criterion)."""
    result = Result(title)
    one, other = ({_row_key(row): row for row in lines(file)} if file.exists() else {} for file in (old, new))
    for key in dict.fromkeys((*one, *other)):
        result.compare(" ".join(str(part) for part in key), one.get(key), other.get(key))
    return result


def _compare_files(title: str, old: Path, new: Path) -> Result:
    """The files of a folder: the rows of JSON Lines in order, the texts of others."""
    result = Result(title)
    for file in sorted(path.relative_to(old) for path in old.rglob("*") if path.is_file()):
        one, other = (_content(side / file) for side in (old, new))
        result.compare(str(file), one, other)
    return result


def _content(file: Path) -> Any:
    if not file.exists():
        return None
    if file.suffix == ".json":
        return json.loads(file.read_text("utf-8"))
    return lines(file) if file.suffix == ".jsonl" else file.read_text("utf-8")


def _row_key(row: Json) -> tuple[Any, ...]:
    return (row.get("id"), *(row[name] for name in ("judge", "criterion") if name in row))


def _compare_asks(old: Path, new: Path) -> Iterator[Result]:
    result = Result("turns/ask")
    for file in sorted(old.glob("ask-*.stdout")):
        one, other = (_printed(side / file.name) for side in (old, new))
        result.compare(file.stem, one, other)
    yield result


def _printed(file: Path) -> Any:
    text = file.read_text("utf-8")
    return json.loads(text) if text.startswith("{") else text


def _compare_run(name: str, old: Path, new: Path) -> Iterator[Result]:
    """The printed summary, the transcripts (conversations and turns), and the scores of each turn."""
    summary, said, scores = (Result(f"runs/{name} {what}") for what in ("summary", "transcripts", "scores"))
    summary.compare("simulate --json", *(_printed(side / f"{name}.stdout") for side in (old, new)))
    (talks, judged), (other_talks, other_judged) = (_transcripts(side / f"{name}.jsonl") for side in (old, new))
    for result, one, other in ((said, talks, other_talks), (scores, judged, other_judged)):
        for key in dict.fromkeys((*one, *other)):
            result.compare(" ".join(str(part) for part in key), one.get(key), other.get(key))
    yield from (summary, said, scores)


def _transcripts(file: Path) -> tuple[dict[tuple[Any, ...], Json], dict[tuple[Any, ...], Json]]:
    """Conversations and turns, and verdicts, each by the case that it belongs to."""
    talks: dict[tuple[Any, ...], Json] = {}
    judged: dict[tuple[Any, ...], Json] = {}
    cases: dict[str, tuple[Any, ...]] = {}
    for line in lines(file) if file.exists() else ():
        if line["type"] == "conversation":
            case = cases[line["id"]] = (line["scenario_id"], line["persona_id"], line["repeat"])
            talks[case] = line
        elif line["type"] == "turn":
            turn = (*cases[line["conversation"]], f"turn {line['number']}")
            for score in line.pop("scores"):
                judged[*turn, score["judge"], score["criterion"], score["repeat"]] = score
            talks[turn] = line
    return talks, judged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="the checkout whose results count as right")
    parser.add_argument("new", type=Path)
    parser.add_argument("--data", type=Path, help="a folder with public data sets (evouna, ragtruth_qa and so on)")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"{', '.join(PARTS)}, with commas between")
    parser.add_argument("--quick", action="store_true", help="fewer conversations and rows")
    parser.add_argument("--old-outputs", type=Path, help="store the outputs of the old side here, and reuse them")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="kiku-same-outputs-") as temporary:
        old_outputs = (options.old_outputs or Path(temporary) / "old").resolve()
        inputs, parts = old_outputs / "inputs", options.parts.split(",")
        if not inputs.exists():
            write_inputs(inputs, options.old, options.data, options.quick)
        old, new = ({part: side / part for part in parts} for side in (old_outputs, Path(temporary) / "new"))
        missing = {part: folder for part, folder in old.items() if not (folder / "codes.json").exists()}
        if missing:
            run_side(options.old.resolve(), missing, inputs, options.quick, hash_seed="1")
        run_side(options.new.resolve(), new, inputs, options.quick, hash_seed="2")
        return int(sum(_show(part, old[part], new[part]) for part in parts) > 0)


def _show(part: str, old: Path, new: Path) -> int:
    """Print the results of a part, and how long the new side took; gives the number of unintended differences."""
    results = list(compare_part(part, old, new))
    for result in results:
        result.show()
    seconds = [json.loads((side / "seconds.json").read_text("utf-8")) for side in (old, new)]
    times = " and ".join(
        f"{sum(side.values()):.0f} s ({name})" for name, side in zip(("old", "new"), seconds, strict=True)
    )
    print(f"          {part} took {times}", flush=True)
    return sum(len(result.differences) for result in results)


if __name__ == "__main__":
    sys.exit(main())
