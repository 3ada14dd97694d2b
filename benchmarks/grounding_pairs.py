"""Questions with passages that do and do not hold the answer, and with answers of their own and of another question."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.judges_data import lines
from core.base.bot_folder import load_bot
from core.base.types import Sample
from core.documents.documents import read_documents
from core.documents.passages import passages
from core.retrieval.lexical import Lexical
from core.simulation.scenarios import read_scenarios
from core.text.language import script

BOTS = ("hinata", "minato", "harbor")
FOUND = 5  # passages that a search hands over


class Pair(NamedTuple):
    """A sample, what people (or its making) say of it, and the question's group, kept on one side of a split."""

    sample: Sample
    label: bool
    group: str


def sufficiency_pairs(data: Path) -> dict[str, list[Pair]]:
    """By set: references with the passages behind them, with half of these, with another question's."""
    return {
        "squad2": _squad2(data),
        "mtrag_un": _mtrag_un(data),
        "dragonball en": _dragonball(data, "en"),
        "dragonball zh": _dragonball(data, "zh"),
        **{bot: _bot(bot) for bot in BOTS},
    }


def _squad2(data: Path) -> list[Pair]:
    """Answerable questions: their own paragraph against another of the same article."""
    chance, found = random.Random(0), list[Pair]()
    corpus = lines(data / "squad2/corpus.jsonl")
    texts = {row["id"]: row["text"] for row in corpus}
    same: dict[str, list[str]] = defaultdict(list)
    for row in corpus:
        same[row["title"]].append(row["id"])
    for row in lines(data / "squad2/dev.jsonl"):
        if row["answerable"]:
            own = row["paragraph_id"]
            other = chance.choice([one for one in same[row["title"]] if one != own] or [own])
            for place in dict.fromkeys((own, other)):
                sample = _asked(row["question"], tuple(row["answers"]), (texts[place],))
                found.append(Pair(sample, place == own, f"squad2 {row['title']}"))
    return found


def _mtrag_un(data: Path) -> list[Pair]:
    """Answerable turns: their own passages against those of another conversation of the same domain."""
    chance, found = random.Random(0), list[Pair]()
    answered = [
        row for row in lines(data / "mtrag_un/dev.jsonl") if row["contexts"] and row["answerability"] == "ANSWERABLE"
    ]
    for row in answered:
        others = [o for o in answered if o["domain"] == row["domain"] and o["conversation"] != row["conversation"]]
        for source, label in ((row, True), (chance.choice(others), False)):
            texts = tuple(one["text"] for one in source["contexts"])
            sample = _asked(row["question"], (row["reference_answer"],), texts, tuple(row["history"]))
            found.append(Pair(sample, label, f"mtrag_un {row['conversation']}"))
    return found


def _dragonball(data: Path, language: str) -> list[Pair]:
    """The sentences behind the answer, half of these, another question's."""
    found = list[Pair]()
    answered = answerable(data, language)
    for number, row in enumerate(answered):
        own, other = tuple(row["references"]), tuple(answered[(number + 7) % len(answered)]["references"])
        for texts, label in ((own, True), (other, False), (own[: len(own) // 2], False)):
            if texts:
                found.append(Pair(_asked(row["question"], (row["answer"],), texts), label, f"dragonball {row['id']}"))
    return found


def answerable(data: Path, language: str) -> list[dict[str, Any]]:
    """Dragonball's questions in a language that have an answer."""
    questions = lines(data / "dragonball/dev.jsonl")
    return [row for row in questions if row["lang"] == language and row["query_type"] != "unanswerable"]


def _bot(bot: str) -> list[Pair]:
    found = list[Pair]()
    for number, (sample, others) in enumerate(bot_samples(bot)):
        for texts, label in ((sample.contexts, True), (others, False)):
            if texts:
                found.append(Pair(sample.model_copy(update={"contexts": texts}), label, f"{bot} {number}"))
    return found


def bot_samples(bot: str) -> list[tuple[Sample, tuple[str, ...]]]:
    """The bot's questions, reference as the answer, with the passages found for it; and those found for another."""
    loaded = load_bot(bot)
    texts = [f"{p.title}\n{p.heading}\n{p.text}" for d in read_documents(loaded) for p in passages(d)]
    lexical = Lexical(texts, script(texts[0]))
    scenarios = [row for row in read_scenarios(loaded) if row.reference and row.kind != "out_of_scope"]
    found = [
        np.argsort(-lexical.scores(f"{r.question} {r.reference}"), kind="stable")[:FOUND].tolist() for r in scenarios
    ]
    samples: list[tuple[Sample, tuple[str, ...]]] = []
    for number, row in enumerate(scenarios):
        other = [place for place in found[(number + 17) % len(scenarios)] if place not in found[number]]
        sample = _asked(row.question, (row.reference,), tuple(texts[place] for place in found[number]))
        sample = sample.model_copy(update={"answer": row.reference, "intent": row.intent})
        samples.append((sample, tuple(texts[place] for place in other)))
    return samples


def _asked(
    question: str, reference: tuple[str, ...], contexts: tuple[str, ...], history: tuple[Any, ...] = ()
) -> Sample:
    fields = {"question": question, "answer": "", "reference": reference, "contexts": contexts}
    return Sample.model_validate({**fields, "history": [{"role": m["role"], "text": m["text"]} for m in history]})


def relevance_pairs(data: Path) -> dict[str, list[Pair]]:
    """By set: questions with the right answer and with the answer of another question."""
    turns = [row for row in lines(data / "mtrag_un/dev.jsonl") if row["answerability"] == "ANSWERABLE"]
    mtrag = [(_asked(r["question"], (), (), tuple(r["history"])), r["reference_answer"]) for r in turns]
    return {
        "mtrag_un": _answered(mtrag, 40),
        **{f"dragonball {name}": _answered(_questions(data, name), 7) for name in ("en", "zh")},
        **{
            bot: _answered([(s.model_copy(update={"contexts": ()}), s.answer) for s, _ in bot_samples(bot)], 17)
            for bot in BOTS
        },
        **{f"{bot} +passages": _answered([(s, s.answer) for s, _ in bot_samples(bot)], 17) for bot in BOTS},
    }


def _questions(data: Path, language: str) -> list[tuple[Sample, str]]:
    return [(_asked(row["question"], (), ()), row["answer"]) for row in answerable(data, language)]


def _answered(answers: list[tuple[Sample, str]], step: int) -> list[Pair]:
    """Every question with its own answer, and with that of the question `step` further on."""
    found = list[Pair]()
    for number, (sample, answer) in enumerate(answers):
        for text, label in ((answer, True), (answers[(number + step) % len(answers)][1], False)):
            found.append(Pair(sample.model_copy(update={"answer": text, "reference": ()}), label, str(number)))
    return found
