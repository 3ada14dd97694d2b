"""Fit core/retrieval/meaning.npz: projections that bring Japanese questions near the sections that answer them.

    python -m benchmarks.fit_meaning [--write]

A linear dual encoder over weighted means of word vectors: softmax over all sections of a bot, for the bundled bots'
example questions (a sample of each). Reported: for the clear messages of first_messages.toml, in how many the section is among
the first 1, 3 and 5 by meaning alone, without training and trained on the other bot.
"""

from __future__ import annotations

import argparse
import random
import tomllib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import log_softmax, normalize

from benchmarks.bot_indexes import indexes_of, is_section
from core.base.bot_folder import load_bot
from core.documents.example_questions import read_example_questions
from core.documents.headings import last_heading
from core.retrieval import meaning
from core.retrieval.index import Index
from core.retrieval.meaning import Projections, mean_vector
from core.retrieval.word_vectors import DIMENSION, Vector, word_vectors
from core.text.language import terms

TARGET = Path(meaning.__file__).with_name("meaning.npz")
MESSAGES = Path(__file__).with_name("first_messages.toml")
BOTS = ("hinata", "minato")
DIMENSIONS = 100
QUESTIONS = 6_000  # of each bot
EPOCHS = 6
BATCH = 128
RATE = 2e-3
DECAY = 1e-3  # of the distance from the projections that training begins with
SHARPNESS = 10.0  # of the softmax, at first


class Material(NamedTuple):
    """A bot's sections and questions as mean vectors, and the sections that answer each question."""

    headings: Vector
    texts: Vector
    questions: Vector
    answered: list[list[int]]
    messages: Vector
    sections_of_messages: list[list[int]]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()
    materials = read_materials()
    start = first_projections()
    for name, one in materials.items():
        others = [other for rest, other in materials.items() if rest != name]
        report(f"{name} untrained", one, Projections(start, start))
        report(f"{name} trained on the other", one, trained(others))
    if options.write:
        found = trained(list(materials.values()))
        np.savez_compressed(
            TARGET, question=found.question.astype(np.float16), section=found.section.astype(np.float16)
        )


def trained_without(bot: str) -> Projections:
    """Projections of which nothing was learned from one of the bots."""
    return trained([one for name, one in read_materials().items() if name != bot])


def read_materials() -> dict[str, Material]:
    """The bots' material, their indexes built without example questions."""
    with TemporaryDirectory() as folder:
        bots = indexes_of(BOTS, "documents", Path(folder))
        return {name: material(name, index) for name, (_, index) in bots.items()}


def material(name: str, index: Index) -> Material:
    vectors = word_vectors()
    assert vectors is not None

    def means(texts: Sequence[str]) -> Vector:
        rows = [mean_vector(terms(text, "ja"), index.lexical.idf, vectors.vector) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(-1, DIMENSION)

    places: dict[tuple[str, str], list[int]] = {}
    for row, passage in enumerate(index.passages):
        places.setdefault((passage.document, last_heading(passage.heading)), []).append(row)
    asked = [one for one in read_example_questions(load_bot(name)) if one.heading]
    random.Random(0).shuffle(asked)
    pairs = [(one.question, places.get((one.document, last_heading(one.heading)))) for one in asked[:QUESTIONS]]
    known = [(question, rows) for question, rows in pairs if rows]
    clear = tomllib.loads(MESSAGES.read_text("utf-8"))[name]["answer"]
    return Material(
        means([f"{p.title}\n{p.heading}" for p in index.passages]),
        means([p.text for p in index.passages]),
        means([question for question, _ in known]),
        [rows for _, rows in known],
        means([message for message, *_ in clear]),
        [
            [row for row, passage in enumerate(index.passages) if is_section(passage, document, heading)]
            for _, document, heading, *_ in clear
        ],
    )


def first_projections() -> Vector:
    """Random orthogonal directions, shape (300, DIMENSIONS), which keep distances about as they are."""
    drawn = np.random.default_rng(0).standard_normal((DIMENSION, DIMENSIONS))
    return np.asarray(np.linalg.qr(drawn)[0], dtype=np.float32)


def trained(materials: Sequence[Material]) -> Projections:
    """Projections that make the sections that answer likely among all of a bot."""
    start = torch.tensor(first_projections())
    question, section = torch.nn.Parameter(start.clone()), torch.nn.Parameter(start.clone())
    sharpness = torch.nn.Parameter(torch.full((2,), SHARPNESS))
    optimizer = torch.optim.Adam([question, section, sharpness], lr=RATE)
    dice = np.random.default_rng(0)
    for _ in range(EPOCHS):
        for one in materials:
            places = [torch.tensor(rows) for rows in (one.headings, one.texts)]
            order = dice.permutation(len(one.answered))
            for first in range(0, len(order), BATCH):
                batch = order[first : first + BATCH]
                wanted = normalize(torch.tensor(one.questions[batch]) @ question, dim=1)
                near = [wanted @ normalize(rows @ section, dim=1).T for rows in places]
                sums = sharpness[0] * near[0] + sharpness[1] * near[1]
                chances: Any = log_softmax(sums, dim=1)
                right = torch.stack([torch.logsumexp(chances[k, one.answered[j]], 0) for k, j in enumerate(batch)])
                moved = ((question - start) ** 2).sum() + ((section - start) ** 2).sum()
                loss = DECAY * moved - right.mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return Projections(*(np.asarray(one.detach().numpy(), dtype=np.float32) for one in (question, section)))


def report(name: str, one: Material, found: Projections) -> None:
    wanted = meaning.project(one.messages, found.question)
    sums = np.sum([wanted @ meaning.project(rows, found.section).T for rows in (one.headings, one.texts)], axis=0)
    places = np.array(
        [(row > max(row[right])).sum() for row, right in zip(sums, one.sections_of_messages, strict=True) if right]
    )
    print(
        f"{name:28} n={len(places)} " + " ".join(f"first {k}: {(places < k).mean():.3f}" for k in (1, 3, 5)), flush=True
    )


if __name__ == "__main__":
    main()
