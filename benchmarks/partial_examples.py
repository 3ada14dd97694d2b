"""Measure a bot some of whose documents have no example questions, as after a document was added.

    python -m benchmarks.partial_examples FILE [--parts N] [--bots hinata,minato,harbor]

FILE: first messages as in `benchmarks.natural`. The documents of each bot are dealt out to ten parts; for each of the first N
parts the bot is built without the example questions of that part, and gets all messages. A clear message is about the
document that the bot with all its example questions cites in a right answer; others are left out.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from random import Random

from benchmarks.judges_data import lines
from benchmarks.natural import ENGINE, OUTCOMES, Row, has_facts, report
from core.base.bot_folder import load_bot
from core.base.types import Bot
from core.bot.turn import take_turn
from core.documents.example_questions import change_example_questions, read_example_questions
from core.retrieval.index_cache import Indexes

PARTS = 10
KINDS = ("answer", "ask", "refuse")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--parts", type=int, default=5, help="how many of ten parts are tried")
    arguments.add_argument("--bots", default="hinata,minato,harbor")
    options = arguments.parse_args()
    rows = [row for row in lines(options.file) if row["kind"] in KINDS]
    results: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder) / "indexes")
        for name in options.bots.split(","):
            own = [row for row in rows if row["bot"] == name]
            about = documents_asked_for(own, load_bot(name), indexes)
            for part in range(options.parts):
                bot, left_out = without_questions(load_bot(name), part, Path(folder))
                for row in own:
                    if row["kind"] != "answer" or row["id"] in about:
                        group = "unasked" if about.get(row["id"]) in left_out else "asked"
                        turn = take_turn(ENGINE, bot, indexes.get(bot), (), row["text"])
                        outcome = OUTCOMES[row["kind"]](row, turn, bot, indexes.get(bot))
                        results[row["kind"], group if row["kind"] == "answer" else ""].append((name, outcome))
    for (kind, group), found in sorted(results.items()):
        report(kind, found, group)


def documents_asked_for(rows: list[Row], bot: Bot, indexes: Indexes) -> dict[str, str]:
    """The document that the bot with all its example questions cites first, for each message that it answers rightly."""
    found: dict[str, str] = {}
    for row in rows:
        if row["kind"] == "answer":
            turn = take_turn(ENGINE, bot, indexes.get(bot), (), row["text"])
            reply = turn.reply
            cited = (reply.cited or ()) if reply.kind == "answer" else ()
            if cited and turn.hits and has_facts(row, turn):
                found[row["id"]] = turn.hits[cited[0] - 1].passage.document
    return found


def without_questions(bot: Bot, part: int, folder: Path) -> tuple[Bot, set[str]]:
    """A copy of the bot without the example questions of one part of its documents, and these documents."""
    documents = sorted(path.name for path in (bot.folder / "documents").rglob("*") if path.is_file())
    Random(bot.id).shuffle(documents)
    left_out = set(documents[part::PARTS])
    copy = bot.model_copy(update={"id": f"{bot.id}-{part}", "folder": folder / f"{bot.id}-{part}"})
    shutil.copytree(bot.folder, copy.folder)
    change_example_questions(copy, [one for one in read_example_questions(copy) if one.document in left_out])
    return copy, left_out


if __name__ == "__main__":
    main()
