"""Fit core/bot/answer/part_asked.toml: which pieces of a section that was quoted already answer what is asked next?

    python -m benchmarks.fit_part_asked [--write]

Conditional logit on the conversations of follow_ups.jsonl whose second message is answered by the section of the first:
one of the pieces that hold a fact of a right answer is to be chosen before the others.
Reported: how often the likeliest piece, and one of those that are quoted, is right, and how many these are, where each
writer's conversations are judged by a fit on the other writers'; beside the first pieces of the section.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bot_indexes import is_section
from benchmarks.coefficients import write_coefficients
from benchmarks.conditional_logit import Choice, fitted, fitted_on_others
from benchmarks.fit_follow_up import FILE
from core.base.bot_folder import load_bot
from core.base.types import Bot, Message
from core.bot.answer import quotes
from core.bot.answer.quotes import likeliest_pieces, piece_features
from core.bot.answer.snippets import snippets
from core.bot.messages.follow_up import with_subject
from core.bot.messages.respelled_messages import respelled
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.indexes import Indexes
from core.text.language import content_words
from core.text.normalize import normalize
from core.text.standalone_question import follow_up

TARGET = Path(quotes.__file__).with_name("part_asked.toml")
ABOUT = """Conditional logit: which pieces of a section that was quoted already answer what is asked next?
Fitted by benchmarks/fit_part_asked.py on benchmarks/follow_ups.jsonl."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    rows, names = read()
    print(f"n={len(rows)}, {np.mean([len(row.right) for row in rows]):.1f} pieces each")
    models = fitted_on_others(rows)
    report("fit", rows, lambda row: row.values @ models[row.writer])
    report("first in the section", rows, lambda row: -np.arange(len(row.right)))
    if options.write:
        write_coefficients(TARGET, ABOUT, {"part": {"intercept": 0.0, **dict(zip(names, fitted(rows), strict=True))}})


def read() -> tuple[list[Choice], list[str]]:
    """The conversations in which a piece holds a fact, and the names of the features."""
    stored = [json.loads(line) for line in FILE.open(encoding="utf-8")]
    indexes = Indexes()
    bots = {name: load_bot(name) for name in dict.fromkeys(one["bot"] for one in stored)}
    rows, names = list[Choice](), list[str]()
    for one in stored:
        if one["about"] == "same":
            bot = bots[one["bot"]]
            found, right = read_one(one, bot, indexes.get(bot))
            if any(right) and not all(right):
                names = list(found[0])
                values = np.array([[piece[name] for name in names] for piece in found])
                rows.append(Choice(one["id"].split("-")[0], values, np.array(right)))
    return rows, names


def read_one(conversation: dict[str, Any], bot: Bot, index: Index) -> tuple[list[dict[str, float]], list[bool]]:
    """What speaks for each piece of the section, and which hold a fact."""
    turn = take_turn(EmbeddedEngine(), bot, index, (), conversation["first"])
    *earlier, last = respelled(index, (*turn.as_messages(), Message(role="user", text=conversation["text"])))
    about, text = follow_up([*earlier, with_subject(index, earlier, last)])
    section = conversation["document"], conversation["heading"]
    pieces = [piece for one in index.passages if is_section(one, *section) for piece in snippets(one.text)]
    weights = {word: index.lexical.idf(word) for word in content_words(f"{about} {text}")}
    facts = [plain(fact) for facts in conversation["facts"] for fact in facts]
    right = [any(fact in plain(piece.text) for fact in facts) for piece in pieces]
    return piece_features(text, about, pieces, weights), right


def plain(text: str) -> str:
    return "".join(normalize(text).split())


def report(name: str, rows: Sequence[Choice], values: Callable[[Choice], Any]) -> None:
    quoted = [likeliest_pieces(list(values(row))) for row in rows]
    first = np.mean([row.right[places[0]] for row, places in zip(rows, quoted, strict=True)])
    among = np.mean([row.right[places].any() for row, places in zip(rows, quoted, strict=True)])
    print(
        f"{name:22} first {first:.2f}, among those quoted {among:.2f} ({np.mean(list(map(len, quoted))):.1f} of them)"
    )


if __name__ == "__main__":
    main()
