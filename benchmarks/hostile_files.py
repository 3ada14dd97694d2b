"""Files that a person may put in the place of Kiku's own: no file at all, of the wrong kind, with hostile content."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ASK = ("ask", "休暇の期限は？", "--bot")
SIMULATE = ("simulate", "--limit", "1", "--max-turns", "1", "--bot")
DIGITS, DEEP = b"x = " + b"9" * 6_000, b"x = " + b"[" * 5_000 + b"]" * 5_000
WRONG = b'name = 5\nlanguage = ["ja"]\npersonas = 7\nmodels = 3\n'
TEMPLATE = b"{{ ''.__class__.__mro__ }} {% for i in range(10**9) %}x{% endfor %}"
PLACES: Mapping[str, tuple[str, ...]] = {  # a file of a bot's folder, and a command that reads it
    "bot.toml": ASK,
    "prompts/answer.ja.md": ASK,
    "documents/more.md": ASK,
    "personas.toml": SIMULATE,
    "questions.csv": SIMULATE,
    "judges/x.py": ("judge", "custom:x", "--in", "ROWS", "--out", "-", "--bot"),
    "judges/criteria.toml": ("judge", "criteria:x", "--in", "ROWS", "--out", "-", "--bot"),
}
DATA_PLACES: Mapping[str, tuple[str, ...]] = {  # the same in the data folder; the command needs no bot
    "prices.toml": ("runs",),
    "settings.toml": ("runs",),
    "errors.log": ("runs",),
    "kiku.db": ("runs",),
}
Fill = Callable[[Path], object]
FILLS: Mapping[str, Fill] = {
    "a folder": Path.mkdir,
    "a FIFO": os.mkfifo,
    "a link to itself": lambda file: file.symlink_to(file.name),
    "endless": lambda file: file.symlink_to("/dev/zero"),
    "refused by the system": lambda file: file.symlink_to("/proc/self/mem"),
    "not text": lambda file: file.write_bytes(bytes(random.Random(1).choices(range(256), k=20_000))),
    "empty": lambda file: file.write_bytes(b""),
    "of 6,000 digits": lambda file: file.write_bytes(DIGITS),
    "nested": lambda file: file.write_bytes(DEEP),
    "of wrong types": lambda file: file.write_bytes(WRONG),
    "a hostile template": lambda file: file.write_bytes(TEMPLATE),
    "of 20 MB": lambda file: file.write_bytes(b"# " + b"x" * 20_000_000),
}
Described = tuple[str, tuple[str, ...], Callable[[Path], None]]


def file_trials(folder: Path, bot: Path) -> Iterator[Described]:
    """The name of each trial, its command, and what is done to the data folder before; bots are made beside `bot`."""
    rows = folder / "one-row.jsonl"
    rows.write_text('{"id": 1, "question": "q", "answer": "a"}\n', "utf-8")
    for place, command in PLACES.items():
        for number, (name, fill) in enumerate(FILLS.items()):
            own = bot.with_name(f"{place.split('.')[0].replace('/', '-')}-{number}")
            shutil.copytree(bot, own)
            _put(own / place, fill)
            full = tuple(str(rows) if part == "ROWS" else part for part in command)
            yield f"{place}: {name}", (*full, own.name), lambda database: None
    for place, command in DATA_PLACES.items():
        for name, fill in FILLS.items():
            yield (
                f"{place}: {name}",
                command,
                lambda database, place=place, fill=fill: _put(database.with_name(place), fill),
            )


def _put(file: Path, fill: Fill) -> None:
    file.parent.mkdir(exist_ok=True)
    if file.is_dir() and not file.is_symlink():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    fill(file)


def size_trials(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Rows and tables of very many parts, each with the command that reads it."""
    drawn = random.Random(1)
    words = ("休暇", "期限", "申請", "部署", "上限", "手当", "金額", "書類", "窓口", "承認")

    def sentence(number: int) -> str:
        return "{}の{}は{}日以内に{}へ申請します。".format(*drawn.choices(words, k=2), number, drawn.choice(words))

    many = [sentence(number) for number in range(20_000)]
    dates = "".join(f"令和{n % 30 + 1}年{n % 12 + 1}月{n % 28 + 1}日。" for n in range(3_500))[:30_000]
    row = {"id": 1, "question": "休暇の期限は？", "answer": "".join(many[:300])}
    rows = {
        "20,000 keypoints": ("keypoints", {**row, "keypoints": many}),
        "1,000 keypoints": ("keypoints", {**row, "keypoints": many[:1_000]}),
        "5,000 sentences of evidence": ("retrieval", {**row, "contexts": many[:200], "evidence": many[:5_000]}),
        "1,000 sentences of evidence": ("retrieval", {**row, "contexts": many[:200], "evidence": many[:1_000]}),
        "20,000 passages": ("groundedness", {**row, "contexts": many}),
        "an id of 50,000 characters": ("correctness", {**row, "id": "x" * 50_000, "reference": "y"}),
    }
    dated = {**row, "question": f"{dates}？", "answer": dates, "reference": f"{dates}x", "contexts": [dates]}
    rows |= {f"30,000 characters of dates, {name}": (name, dated) for name in ("turn", "relevance", "correctness")}
    for number, (name, (judge, one)) in enumerate(rows.items()):
        file = folder / f"size-{number}.jsonl"
        file.write_text(json.dumps(one, ensure_ascii=False) + "\n", "utf-8")
        yield name, ("judge", judge, "--in", str(file), "--out", "-")
    tables = {
        "250,000 empty rows": "{}\n" * 250_000,
        "250,000 empty lines": "\n" * 250_000,
        "a number of 5,000 digits": f'{{"question": {"9" * 5_000}}}\n',
    }
    for number, (name, text) in enumerate(tables.items()):
        file = folder / f"table-{number}.jsonl"
        file.write_text(text, "utf-8")
        yield name, ("judge", "turn", "--in", str(file), "--out", "-")
    scores, labels = folder / "many-scores.jsonl", folder / "many-labels.jsonl"
    scores.write_text("".join(json.dumps({"id": n, "value": drawn.random(), "label": ""}) + "\n" for n in range(2_000)))
    with labels.open("w") as out:
        for reviewer in range(1_000):
            for item in drawn.sample(range(2_000), 20):
                out.write(
                    json.dumps({"id": item, "reviewer": f"r{reviewer}", "label": drawn.choice(["yes", "no"])}) + "\n"
                )
    yield "agreement with 1,000 reviewers", ("agreement", "--scores", str(scores), "--labels", str(labels))
