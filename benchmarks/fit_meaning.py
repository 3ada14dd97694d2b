"""Fit core/retrieval/section_vectors.npz: projections that bring Japanese questions near the sections that answer them.

    python -m benchmarks.fit_meaning [--write]

A linear dual encoder over weighted means of word vectors: softmax over all sections of a bot, for the bundled bots'
example questions (a sample of each) and for messages to written desks (written_desks/search). Reported: for the clear
messages of first_messages.toml, in how many the section is among the first 1, 3 and 5 by meaning alone, without training
and trained without this bot; and for those to desks that nothing is learned from (written_desks/response).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.functional import log_softmax, normalize

from benchmarks.bot_indexes import indexes_of, is_section, read_first_messages
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import Desk, Part, read_desks
from core.base.bot_folder import load_bot
from core.documents.example_questions import read_example_questions
from core.documents.heading_names import last_heading
from core.retrieval import section_vectors
from core.retrieval.index import Index
from core.retrieval.index_cache import Indexes
from core.retrieval.section_vectors import Projections, mean_vector
from core.retrieval.word_vectors import DIMENSION, Vector, word_vectors
from core.text.language import terms

TARGET = Path(section_vectors.__file__).with_name("section_vectors.npz")
BOTS = ("hinata", "minato")
DIMENSIONS = 100
QUESTIONS = 3_000  # of each bot
EPOCHS = 3
BATCH = 32
JOINED_DESKS = 10
ARRAYS = ("headings", "texts", "questions")
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
    options = argument_parser(__doc__, "--write").parse_args()
    materials, desks = read_materials(), joined_desks()
    start = first_projections()
    for name, one in materials.items():
        others = [other for rest, other in materials.items() if rest != name]
        report(f"{name} untrained", [one], Projections(start, start))
        report(f"{name} trained without", [one], trained([*others, *desks]))
    found = trained([*materials.values(), *desks])
    for label, learned in (("untrained", Projections(start, start)), ("trained", found)):
        report(f"desks {label}", desk_materials("response"), learned)
    if options.write:
        np.savez_compressed(
            TARGET, question=found.question.astype(np.float16), section=found.section.astype(np.float16)
        )


def trained_without(bot: str) -> Projections:
    """Projections of which nothing was learned from one of the bots."""
    return trained([*(one for name, one in read_materials().items() if name != bot), *joined_desks()])


def read_materials() -> dict[str, Material]:
    """The bots' material, their indexes built without example questions."""
    with TemporaryDirectory() as folder:
        bots = indexes_of(BOTS, "without_examples", Path(folder))
        return {name: material(name, index) for name, (_, index) in bots.items()}


def desk_materials(part: Part) -> list[Material]:
    """The material of the Japanese written desks; the messages are both learned from and reported on."""
    with TemporaryDirectory() as folder:
        indexes = Indexes(Path(folder))
        return [
            _desk_material(desk, indexes.of_documents(desk.name, desk.documents)) for desk in read_desks(part, "ja")
        ]


def joined_desks() -> list[Material]:
    """The desks to learn from, several as one: a bot of many sections is not to get worse by learning from small desks."""
    desks, found = desk_materials("search"), list[Material]()
    for start in range(0, len(desks), JOINED_DESKS):
        some = desks[start : start + JOINED_DESKS]
        starts = np.cumsum([0, *(len(one.headings) for one in some)])
        answered = [
            [int(before) + row for row in rows]
            for before, one in zip(starts, some, strict=False)
            for rows in one.answered
        ]
        heads, texts, asked = (np.concatenate([getattr(one, name) for one in some]) for name in ARRAYS)
        found.append(Material(heads, texts, asked, answered, asked, answered))
    return found


def _desk_material(desk: Desk, index: Index) -> Material:
    answered = [
        [row for row, passage in enumerate(index.passages) if is_section(passage, one.document, one.heading)]
        for one in desk.clear
    ]
    asked = means(index, [one.text for one in desk.clear])
    return Material(*means_of_sections(index), asked, answered, asked, answered)


def material(name: str, index: Index) -> Material:
    places: dict[tuple[str, str], list[int]] = {}
    for row, passage in enumerate(index.passages):
        places.setdefault((passage.document, last_heading(passage.heading)), []).append(row)
    asked = [one for one in read_example_questions(load_bot(name)) if one.heading]
    random.Random(0).shuffle(asked)
    pairs = [(one.question, places.get((one.document, last_heading(one.heading)))) for one in asked[:QUESTIONS]]
    known = [(question, rows) for question, rows in pairs if rows]
    clear = read_first_messages()[name]["answer"]
    return Material(
        *means_of_sections(index),
        means(index, [question for question, _ in known]),
        [rows for _, rows in known],
        means(index, [message for message, *_ in clear]),
        [
            [row for row, passage in enumerate(index.passages) if is_section(passage, document, heading)]
            for _, document, heading, *_ in clear
        ],
    )


def means_of_sections(index: Index) -> tuple[Vector, Vector]:
    """The mean vectors of headings (with titles) and of texts."""
    heads = means(index, [f"{p.title}\n{p.heading}" for p in index.passages])
    return heads, means(index, [p.text for p in index.passages])


def means(index: Index, texts: Sequence[str]) -> Vector:
    vectors = word_vectors()
    assert vectors is not None
    rows = [mean_vector(terms(text, "ja"), index.lexical.idf, vectors.vector) for text in texts]
    return np.array(rows, dtype=np.float32).reshape(-1, DIMENSION)


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
    dice = random.Random(0)
    for _ in range(EPOCHS):
        batches = [(one, batch) for one in materials for batch in _batches(dice, len(one.answered))]
        dice.shuffle(batches)
        for one, batch in batches:
            places = [torch.tensor(rows) for rows in (one.headings, one.texts)]
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


def _batches(dice: random.Random, count: int) -> list[list[int]]:
    mixed = dice.sample(range(count), count)
    return [mixed[start : start + BATCH] for start in range(0, count, BATCH)]


def report(name: str, some: Sequence[Material], found: Projections) -> None:
    places: list[int] = []
    for one in some:
        wanted = section_vectors.project(one.messages, found.question)
        sums = np.sum(
            [wanted @ section_vectors.project(rows, found.section).T for rows in (one.headings, one.texts)], axis=0
        )
        pairs = zip(sums, one.sections_of_messages, strict=True)
        places += [int((row > max(row[right])).sum()) for row, right in pairs if right]
    shares = " ".join(f"first {k}: {np.mean(np.array(places) < k):.3f}" for k in (1, 3, 5))
    print(f"{name:28} n={len(places)} {shares}", flush=True)


if __name__ == "__main__":
    main()
