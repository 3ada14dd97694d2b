"""Measure the embedded bot on messages that people wrote without knowing how the documents word things.

    python -m benchmarks.natural FILE [--half even|odd] [--show KIND] [--frames FRAMES]

FILE: JSON Lines of {id, bot, kind, text, facts, ...}; `kind` is answer, ask, refuse, smalltalk, two, attack or
follow; `facts` is a list of lists of strings, and a right reply holds one string of each list. A message of the kind
follow comes after the answer to `first`; `about` says what it is to that. Every message goes the way of
`python -m core ask --in`. A click takes one of the choices that were offered. Half a file can be left unread, so that
what was looked at one by one (--show) and what was not are told apart.

FRAMES: JSON Lines of {lang, text}, everyday words with a place {q} for a question; each message is asked inside one that is
drawn for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.judges_data import lines
from core.base.bot_folder import load_bot
from core.base.types import Bot, Conversation, Turn
from core.bot.turn import take_turn
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.text.language import script
from core.text.normalize import normalize
from core.text.refusals import is_refusal

Row = dict[str, Any]
ENGINE = EmbeddedEngine()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--half", choices=("even", "odd"), help="only every second message of each bot and kind")
    arguments.add_argument("--show", metavar="KIND", help="print each message of this kind with its reply")
    arguments.add_argument("--frames", type=Path, help="JSON Lines of everyday words around a question")
    options = arguments.parse_args()
    if not options.file.is_file():
        raise SystemExit(f"{options.file} is no file: give first messages as JSON Lines.")
    rows = chosen(lines(options.file), options.half)
    if options.frames:
        rows = framed(rows, lines(options.frames))
    indexes = Indexes()
    bots = {name: load_bot(name) for name in dict.fromkeys(row["bot"] for row in rows)}
    judged = [(row, *outcome(row, bots[row["bot"]], indexes.get(bots[row["bot"]]))) for row in rows]
    for row, result, reply in judged:
        if options.show == row["kind"]:
            print(f"{row['id']} [{result}] {row['text']}\n    {reply}\n    {row['facts'] or row['options']}\n")
    for kind in OUTCOMES:
        of_kind = [(row.get("about", ""), row["bot"], result) for row, result, _ in judged if row["kind"] == kind]
        for about in dict.fromkeys(one for one, _, _ in of_kind):
            report(kind, [(bot, result) for one, bot, result in of_kind if one == about], about)


def framed(rows: list[Row], frames: list[Row]) -> list[Row]:
    """Each message inside a frame of its language, drawn by its id."""
    of_language = {name: [one["text"] for one in frames if one["lang"] == name] for name in ("ja", "en")}
    found: list[Row] = []
    for row in rows:
        fitting = of_language["en" if script(row["text"]) == "en" else "ja"]
        found.append({**row, "text": Random(row["id"]).choice(fitting).replace("{q}", row["text"])})
    return found


def chosen(rows: list[Row], half: str | None) -> list[Row]:
    """All rows, or every second one of each bot and kind."""
    seen: dict[tuple[str, str], int] = {}
    found: list[Row] = []
    for row in rows:
        place = seen[(row["bot"], row["kind"])] = seen.get((row["bot"], row["kind"]), -1) + 1
        if half is None or place % 2 == (half == "odd"):
            found.append(row)
    return found


def outcome(row: Row, bot: Bot, index: Index) -> tuple[str, str]:
    """What became of a message, and the reply."""
    turn = take_turn(ENGINE, bot, index, messages_before(row, bot, index), row["text"])
    choices = f" {list(turn.reply.choices)}" if turn.reply.choices else ""
    return OUTCOMES[row["kind"]](row, turn, bot, index), turn.reply.text + choices


def messages_before(row: Row, bot: Bot, index: Index) -> Conversation:
    """The first message and its answer, if the row has one."""
    return take_turn(ENGINE, bot, index, (), row["first"]).as_messages() if row.get("first") else ()


def has_facts(row: Row, turn: Turn) -> bool:
    """Whether the reply answers and holds every fact."""
    said = "".join(normalize(turn.reply.text).split())
    facts = [["".join(normalize(one).split()) for one in fact] for fact in row["facts"]]
    return turn.reply.kind == "answer" and all(any(one in said for one in fact) for fact in facts)


def clicked(row: Row, turn: Turn, bot: Bot, index: Index) -> bool:
    """Whether one of the choices leads to the facts."""
    before = (*messages_before(row, bot, index), *turn.as_messages())
    return any(has_facts(row, take_turn(ENGINE, bot, index, before, choice)) for choice in turn.reply.choices)


def of_answer(row: Row, turn: Turn, bot: Bot, index: Index) -> str:
    if has_facts(row, turn):
        return "right"
    if turn.reply.kind == "clarify":
        return "one click" if clicked(row, turn, bot, index) else "asked beside"
    if turn.reply.answered:
        return "wrong"
    return "refused, one click" if clicked(row, turn, bot, index) else "refused"


def of_ask(row: Row, turn: Turn, bot: Bot, index: Index) -> str:
    if turn.reply.kind == "clarify":
        return "asked"
    said = normalize(turn.reply.text)
    if row["options"] and all(normalize(option) in said for option in row["options"]):
        return "all cases listed"
    return "answered" if turn.reply.answered else "refused"


def of_refuse(row: Row, turn: Turn, bot: Bot, index: Index) -> str:
    if turn.reply.kind == "clarify":
        return "asked"
    return "refused" if not turn.reply.answered and not turn.reply.cited else "answered"


def of_small_talk(row: Row, turn: Turn, bot: Bot, index: Index) -> str:
    """Talked to: neither a citation nor "not in the documents" nor the message read back as a request."""
    if turn.reply.kind == "clarify":
        return "asked"
    if turn.reply.cited:
        return "answered from the documents"
    refused = is_refusal(turn.reply.text) or not turn.reply.answered
    return "refused" if refused and row["kind"] == "smalltalk" else "talked to"


OUTCOMES: dict[str, Callable[[Row, Turn, Bot, Index], str]] = {
    "answer": of_answer,
    "ask": of_ask,
    "refuse": of_refuse,
    "smalltalk": of_small_talk,
    "two": of_answer,
    "attack": of_small_talk,
    "follow": of_answer,
}


def report(kind: str, results: list[tuple[str, str]], about: str) -> None:
    """How many of a kind came to what, in all and for each bot; about: what they are to the message before."""
    if not results:
        return
    counts = {name: sum(got == name for _, got in results) for name in dict.fromkeys(got for _, got in results)}
    parts = [f"{name} {count / len(results):.2f}" for name, count in sorted(counts.items(), key=lambda pair: -pair[1])]
    best = {"answer": "right", "two": "right", "follow": "right", "ask": "asked", "refuse": "refused"}.get(
        kind, "talked to"
    )
    of_bots = {bot: [got == best for other, got in results if other == bot] for bot, _ in results}
    shares = ", ".join(f"{bot} {sum(hits)}/{len(hits)}" for bot, hits in of_bots.items())
    print(f"{f'{kind} {about}':16} n={len(results):<3} {' | '.join(parts)}   ({best}: {shares})", flush=True)


if __name__ == "__main__":
    main()
