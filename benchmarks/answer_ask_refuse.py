"""Measure what the bot does with a turn of a conversation: answer it, ask back, or say that the documents do not tell.

    python -m benchmarks.answer_ask_refuse --data DIR

DIR holds mtrag_un/dev.jsonl (MTRAG-UN, Apache-2.0): {domain, history, question, answerability, contexts}. ANSWERABLE and
PARTIAL turns are to be answered, UNANSWERABLE ones refused, and for UNDERSPECIFIED ones a question is right. Printed: F1 of
each kind, their mean (macro-F1), and what became of the turns of each kind; first with the passages that belong to the turn
alone (unanswerable turns have none), then with a bot for each domain that searches the passages of all its turns.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

from sklearn.metrics import f1_score

from benchmarks.command_line import argument_parser
from benchmarks.judges_data import lines
from core.base.types import Bot, Message
from core.bot.turn import take_turn
from core.documents.documents import Document
from core.llm.embedded import EmbeddedEngine
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes

KINDS = ("answer", "ask", "refuse")
WANTED = {"ANSWERABLE": "answer", "PARTIAL": "answer", "UNDERSPECIFIED": "ask", "UNANSWERABLE": "refuse"}


def main() -> None:
    file = argument_parser(__doc__, "--data").parse_args().data / "mtrag_un" / "dev.jsonl"
    if not file.is_file():
        raise SystemExit(f"{file} is missing: give the folder that holds mtrag_un/dev.jsonl.")
    turns = lines(file)
    domains = {turn["domain"]: [one for one in turns if one["domain"] == turn["domain"]] for turn in turns}
    with tempfile.TemporaryDirectory() as scratch:
        indexes = Indexes(Path(scratch))
        own = [outcomes([turn], f"turn-{place}", indexes)[0] for place, turn in enumerate(turns)]
        report("its own passages", own)
        report("those of a domain", [one for name, some in domains.items() for one in outcomes(some, name, indexes)])


def outcomes(turns: list[dict[str, Any]], name: str, indexes: Indexes) -> list[tuple[str, str]]:
    """What is wanted and what is done, for each turn, by a bot with the passages of these turns."""
    index = indexes.of_documents(name, passages(turns))
    bot = Bot(id=name, folder=Path(), name=name, language="en")
    return [(WANTED[turn["answerability"]], outcome(turn, bot, index)) for turn in turns]


def passages(turns: list[dict[str, Any]]) -> list[Document]:
    """Every passage that one of the turns was given, once."""
    texts = {passage["id"]: passage["text"] for turn in turns for passage in turn["contexts"]}
    return [Document(name, text) for name, text in texts.items()]


def outcome(turn: dict[str, Any], bot: Bot, index: Index) -> str:
    """What the bot does: answer, ask or refuse; talk that cites nothing counts as refused."""
    before = tuple(Message(role=one["role"], text=one["text"]) for one in turn["history"])
    reply = take_turn(EmbeddedEngine(), bot, index, before, turn["question"]).reply
    if reply.kind == "clarify":
        return "ask"
    return "answer" if reply.answered and reply.cited else "refuse"


def report(name: str, found: list[tuple[str, str]]) -> None:
    """Print the figures of some turns, each a pair of what was wanted and what the bot did."""
    wanted, done = zip(*found, strict=True)
    each = {kind: float(f1_score(wanted, done, labels=[kind], average="macro")) for kind in KINDS}
    macro = fmean(each.values())
    figures = " ".join(f"{kind} {value:.2f}" for kind, value in each.items())
    print(f"{name}: n={len(found)} macro-F1 {macro:.3f}: {figures}", flush=True)
    for kind in KINDS:
        became = Counter(did for want, did in found if want == kind)
        print(f"    to {kind}: " + ", ".join(f"{did} {became[did]}" for did in KINDS))


if __name__ == "__main__":
    main()
