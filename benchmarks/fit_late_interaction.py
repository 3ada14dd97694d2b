"""Fit core/retrieval/late_interaction.npz: by which metric words of a question are near words of Japanese sections.

    python -m benchmarks.fit_late_interaction [--write] [--epochs N]

Late interaction over word vectors: softmax over the sections of a desk (written_desks/search), with the matrices held near
those that change nothing. Reported after each epoch: in how many of the clear messages to some desks (benchmarks/desks:
clinic, mobile, ward) and to those of written_desks/response the section is among the first 1, 3 and 5 by this alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import Parameter
from torch.nn.functional import log_softmax, normalize, relu, softplus

from benchmarks.bot_indexes import is_section
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import desk_of_others, read_desks
from core.documents.documents import Document
from core.documents.passages import passages
from core.retrieval import late_interaction
from core.retrieval.late_interaction import LateInteraction, Metric
from core.retrieval.lexical import Lexical
from core.retrieval.word_vectors import DIMENSION, Vector, word_vectors
from core.text.language import terms
from core.text.message_questions import without_courtesy

STORED = Path(late_interaction.__file__).with_name("late_interaction.npz")
TEST = ("clinic", "mobile", "ward")
EPOCHS = 2
BATCH = 32
JOINED_DESKS = 4
RATE = 2e-3
DECAY = 1e-2  # of the distance from matrices that change nothing


class Material(NamedTuple):
    """Headings and texts of sections as terms, and messages with the places of the sections that answer them."""

    headings: list[list[str]]
    texts: list[list[str]]
    lexical: Lexical
    messages: list[tuple[str, list[int]]]


class Words(NamedTuple):
    """A desk's words: vectors, shape (words, 300); the words of each section and of its heading, padded, with masks; the
    vectors of each message's words with their inverse document frequencies."""

    vectors: torch.Tensor
    wholes: tuple[torch.Tensor, torch.Tensor]
    headings: tuple[torch.Tensor, torch.Tensor]
    messages: list[tuple[torch.Tensor, torch.Tensor]]
    right: list[list[int]]


def main() -> None:
    arguments = argument_parser(__doc__, "--write")
    arguments.add_argument("--epochs", type=int, default=EPOCHS)
    options = arguments.parse_args()
    random.seed(0)
    tests = {
        "desks": [material_of(*desk_of_others(name)) for name in TEST],
        "response": [of_desk(desk.documents, desk.clear) for desk in read_desks("response", "ja")],
    }
    material = [of_desk(desk.documents, desk.clear) for desk in read_desks("search", "ja")]
    found = trained(joined([words_of(one) for one in material]), options.epochs, tests)
    if options.write:
        matrices = {name: getattr(found, name).astype(np.float16) for name in ("question", "section", "attention")}
        scalars = {name: np.array(getattr(found, name), np.float32) for name in ("bias", "unlike", "heading")}
        arrays: dict[str, Any] = {**matrices, **scalars}
        np.savez_compressed(STORED, **arrays)


def of_desk(documents: Sequence[Document], clear: Sequence[Any]) -> Material:
    return material_of(documents, [(one.text, one.document, one.heading) for one in clear])


def material_of(documents: Sequence[Document], asked: Sequence[tuple[str, str, str]]) -> Material:
    found = [passage for document in documents for passage in passages(document)]
    heads, texts = [f"{one.title}\n{one.heading}" for one in found], [one.text for one in found]
    messages = [
        (without_courtesy(text), [place for place, one in enumerate(found) if is_section(one, document, heading)])
        for text, document, heading in asked
    ]
    return Material(
        [list(terms(head, "ja")) for head in heads],
        [list(terms(text, "ja")) for text in texts],
        Lexical(texts, "ja", heads),
        [one for one in messages if one[1]],
    )


def words_of(one: Material) -> Words:
    vectors = word_vectors()
    assert vectors is not None
    known: dict[str, Vector | None] = {}

    def vector(word: str) -> Vector | None:
        return known[word] if word in known else known.setdefault(word, vectors.vector(word))

    def with_vector(words: Sequence[str]) -> list[str]:
        return [word for word in dict.fromkeys(words) if vector(word) is not None]

    heads = [with_vector(words) for words in one.headings]
    wholes = [with_vector([*words, *text]) for words, text in zip(one.headings, one.texts, strict=True)]
    places = {word: place for place, word in enumerate(sorted({word for words in wholes for word in words}))}
    messages = [with_vector(terms(text, "ja")) for text, _ in one.messages]
    return Words(
        torch.tensor(np.array([vector(word) for word in places])),
        _padded(wholes, places),
        _padded(heads, places),
        [
            (
                torch.tensor(np.array([vector(word) for word in words], dtype=np.float32).reshape(-1, DIMENSION)),
                torch.tensor([one.lexical.idf(word) for word in words], dtype=torch.float32),
            )
            for words in messages
        ],
        [places for _, places in one.messages],
    )


def joined(desks: Sequence[Words]) -> list[Words]:
    """Several desks as one, so that a message chooses among as many sections as a larger bot has."""
    found: list[Words] = []
    for start in range(0, len(desks), JOINED_DESKS):
        some = desks[start : start + JOINED_DESKS]
        words = np.cumsum([0, *(len(one.vectors) for one in some)]).tolist()
        sections = np.cumsum([0, *(len(one.wholes[0]) for one in some)]).tolist()
        found.append(
            Words(
                torch.cat([one.vectors for one in some]),
                _joined_sets([one.wholes for one in some], words),
                _joined_sets([one.headings for one in some], words),
                [message for one in some for message in one.messages],
                [
                    [before + row for row in rows]
                    for before, one in zip(sections, some, strict=False)
                    for rows in one.right
                ],
            )
        )
    return found


def _joined_sets(
    sets: Sequence[tuple[torch.Tensor, torch.Tensor]], starts: Sequence[int]
) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(places.shape[1] for places, _ in sets)

    def wide(rows: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pad(rows, (0, longest - rows.shape[1]))

    moved = [wide(places + start) for (places, _), start in zip(sets, starts, strict=False)]
    return torch.cat(moved), torch.cat([wide(mask) for _, mask in sets])


def _padded(sets: Sequence[Sequence[str]], places: dict[str, int]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(map(len, sets))
    found = torch.zeros(len(sets), longest, dtype=torch.long)
    mask = torch.zeros(len(sets), longest, dtype=torch.bool)
    for row, words in enumerate(sets):
        found[row, : len(words)] = torch.tensor([places[word] for word in words], dtype=torch.long)
        mask[row, : len(words)] = True
    return found, mask


def trained(desks: Sequence[Words], epochs: int, tests: dict[str, list[Material]] | None = None) -> Metric:
    """The metric that makes the sections that answer likely among all of a desk."""
    unchanged = torch.eye(DIMENSION)
    learned = {
        "question": Parameter(unchanged.clone()),
        "section": Parameter(unchanged.clone()),
        "attention": Parameter(torch.zeros(DIMENSION)),
        "bias": Parameter(torch.tensor(0.0)),
        "unlike": Parameter(torch.tensor(0.45)),
        "heading": Parameter(torch.tensor(0.3)),
    }
    sharpness = Parameter(torch.tensor(8.0))
    optimizer = torch.optim.Adam([*learned.values(), sharpness], lr=RATE)
    for epoch in range(epochs):
        batches = [(desk, batch) for desk in desks for batch in _batches(len(desk.messages))]
        random.shuffle(batches)
        total = 0.0
        for desk, batch in batches:
            chances: Any = log_softmax(sharpness * _scores(learned, desk, batch), dim=1)
            right = torch.stack([torch.logsumexp(chances[k, desk.right[j]], 0) for k, j in enumerate(batch)])
            moved = sum(((learned[name] - unchanged) ** 2).sum() for name in ("question", "section"))
            loss = DECAY * moved - right.mean()
            total -= right.mean().item() / len(batches)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch + 1}: loss {total:.3f}", flush=True)
        for name, material in (tests or {}).items():
            report(name, material, _metric(learned))
    return _metric(learned)


def _batches(count: int) -> list[list[int]]:
    mixed = random.sample(range(count), count)
    return [mixed[start : start + BATCH] for start in range(0, count, BATCH)]


def _scores(learned: dict[str, Parameter], desk: Words, batch: Sequence[int]) -> torch.Tensor:
    """How well each section matches each message, shape (batch, sections) (as LateInteraction.scores)."""
    asked = torch.cat([desk.messages[place][0] for place in batch])
    idf = torch.cat([desk.messages[place][1] for place in batch])
    sections = normalize(desk.vectors @ learned["section"], dim=1)
    near = relu(normalize(asked @ learned["question"], dim=1) @ sections.T - learned["unlike"])
    matched = _highest(near, *desk.wholes) + learned["heading"] * _highest(near, *desk.headings)
    weights = idf * softplus(asked @ learned["attention"] + learned["bias"])
    owners = torch.repeat_interleave(
        torch.arange(len(batch)), torch.tensor([len(desk.messages[place][1]) for place in batch])
    )
    total = torch.zeros(len(batch), matched.shape[1]).index_add(0, owners, matched * weights[:, None])
    return total / torch.zeros(len(batch)).index_add(0, owners, weights).clamp(min=1e-6)[:, None]


def _highest(near: torch.Tensor, places: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return near[:, places].masked_fill(~mask, 0).amax(2)


def _metric(learned: dict[str, Parameter]) -> Metric:
    values: dict[str, Any] = {name: one.detach().numpy() for name, one in learned.items()}
    question, section, attention = (
        np.asarray(values[name], dtype=np.float32) for name in ("question", "section", "attention")
    )
    bias, unlike, heading = (float(values[name]) for name in ("bias", "unlike", "heading"))
    return Metric(question, section, attention, bias, unlike, heading)


def report(label: str, material: Sequence[Material], metric: Metric) -> None:
    vectors, places = word_vectors(), list[int]()
    assert vectors is not None
    for one in material:
        index = LateInteraction(one.headings, one.texts, one.lexical.idf, vectors, metric)
        for text, right in one.messages:
            scores = index.scores(text)
            places.append(int((scores > scores[right].max()).sum()))
    found = np.array(places)
    shares = " ".join(f"first {k}: {(found < k).mean():.3f}" for k in (1, 3, 5))
    print(f"  {label:10} n={len(found)} {shares}", flush=True)


if __name__ == "__main__":
    main()
