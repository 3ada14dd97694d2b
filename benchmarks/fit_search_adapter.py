"""Fit core/retrieval/search_adapter.npz: a low-rank adapter by which the English sentence model finds sections.

    python -m benchmarks.fit_search_adapter [--write] [--epochs N]

A dual encoder with one encoder for both sides: softmax over the sections of a desk (written_desks/search), each as near as
its nearest piece, as it is stored in Chroma. Reported after each epoch: in how many of the clear messages to some desks
(benchmarks/desks: campus, outdoor, rail) the section is among the first 1, 3 and 5 by these vectors alone.
Half an hour on two cores.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import Parameter
from torch.nn.functional import cross_entropy, normalize

from benchmarks.bot_indexes import is_section
from benchmarks.command_line import argument_parser
from benchmarks.desk_files import desk_of_others, read_desks
from core.base.types import Passage
from core.documents.documents import Document
from core.documents.heading_names import last_heading
from core.documents.passages import passages
from core.retrieval.chroma import pieces
from core.retrieval.embedders import bundled_transformer
from core.retrieval.search_adapter import STORED, SearchAdapter, linear_layers
from core.text.message_questions import without_courtesy

TEST = ("campus", "outdoor", "rail")
RANK = 8
EPOCHS = 3
BATCH = 24  # messages
OTHERS = 18  # sections that none of them means
MOST_PIECES = 130
TOKENS = 96
RATE = 1e-3
WARM_UP = 20  # steps
DECAY = 0.01
SHARPNESS = 20.0  # of the softmax


class Material(NamedTuple):
    """Sections as pieces, and messages with the places of the sections that answer them."""

    sections: list[list[str]]
    messages: list[tuple[str, list[int]]]


def main() -> None:
    arguments = argument_parser(__doc__, "--write")
    arguments.add_argument("--epochs", type=int, default=EPOCHS)
    options = arguments.parse_args()
    random.seed(0)
    torch.manual_seed(0)
    encoder = Encoder()
    tests = [_material(*desk_of_others(name)) for name in TEST]
    report("without", encoder, tests, adapted=False)
    material = [
        _material(desk.documents, [(m.text, m.document, m.heading) for m in desk.clear])
        for desk in read_desks("search", "en")
    ]
    train(encoder, material, options.epochs, tests)
    if options.write:
        stored: dict[str, Any] = {
            f"{name}/{side}": one.detach().numpy().astype(np.float16)
            for name, pair in encoder.weights.items()
            for side, one in zip(("down", "up"), pair, strict=True)
        }
        np.savez_compressed(STORED, **stored)


class Encoder:
    """The bundled model with an adapter to be learned."""

    def __init__(self) -> None:
        self._model: Any = bundled_transformer()
        self._transformer: Any = self._model[0].auto_model
        for parameter in self._transformer.parameters():
            parameter.requires_grad = False
        self.weights = {
            name: (
                Parameter(torch.randn(RANK, layer.in_features) / layer.in_features**0.5),
                Parameter(torch.zeros(layer.out_features, RANK)),
            )
            for name, layer in linear_layers(self._transformer).items()
        }
        self._adapter = SearchAdapter(self._transformer, self.weights)

    def train(self, on: bool) -> None:
        """With or without dropout."""
        self._transformer.train(on)

    def encode(self, texts: Sequence[str], adapted: bool = True) -> torch.Tensor:
        """Unit vectors, shape (texts, 384)."""
        tokens: Any = self._model.tokenizer(
            list(texts), padding=True, truncation=True, max_length=TOKENS, return_tensors="pt"
        )
        with self._adapter.switched(adapted):
            found = self._transformer(**tokens).last_hidden_state
        mask = tokens["attention_mask"].unsqueeze(-1).float()
        return normalize((found * mask).sum(1) / mask.sum(1), dim=1)


def _material(documents: Sequence[Document], asked: Sequence[tuple[str, str, str]]) -> Material:
    found: list[Passage] = [passage for document in documents for passage in passages(document)]
    messages = [
        (without_courtesy(text), [place for place, one in enumerate(found) if is_section(one, document, heading)])
        for text, document, heading in asked
    ]
    sections = [
        [f"{last_heading(one.heading)}: {piece}" for piece in pieces(one.text)] or [one.heading] for one in found
    ]
    return Material(sections, [one for one in messages if one[1]])


def train(encoder: Encoder, material: Sequence[Material], epochs: int, tests: Sequence[Material]) -> None:
    optimizer = torch.optim.AdamW(
        [one for pair in encoder.weights.values() for one in pair], lr=RATE, weight_decay=DECAY
    )
    steps = epochs * sum(-(-len(one.messages) // BATCH) for one in material)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_UP) * max(0.05, 1 - step / steps)
    )
    for epoch in range(epochs):
        encoder.train(True)
        started, total = time.perf_counter(), 0.0
        batches = [(one, batch) for one in material for batch in _batches(one.messages)]
        random.shuffle(batches)
        for one, batch in batches:
            loss = _loss(encoder, one, batch)
            total += loss.item() / len(batches)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch + 1}: loss {total:.3f}, {time.perf_counter() - started:.0f} s", flush=True)
        report(f"epoch {epoch + 1}", encoder, tests)


def _batches(messages: Sequence[tuple[str, list[int]]]) -> list[list[tuple[str, list[int]]]]:
    mixed = random.sample(messages, len(messages))
    return [mixed[start : start + BATCH] for start in range(0, len(mixed), BATCH)]


def _loss(encoder: Encoder, one: Material, batch: Sequence[tuple[str, list[int]]]) -> torch.Tensor:
    wanted = sorted({places[0] for _, places in batch})
    others = [place for place in range(len(one.sections)) if place not in wanted]
    used = [*wanted, *random.sample(others, min(OTHERS, len(others)))]
    texts, owners = _pieces_of(one, used)
    near = _nearest(encoder.encode([text for text, _ in batch]) @ encoder.encode(texts).T, owners, len(used))
    right = torch.tensor([used.index(places[0]) for _, places in batch])
    return cross_entropy(SHARPNESS * near, right)


def _pieces_of(one: Material, places: Sequence[int]) -> tuple[list[str], list[int]]:
    """The pieces of some sections, and whose each is; of the last sections none if there are too many."""
    pairs = [(piece, owner) for owner, place in enumerate(places) for piece in one.sections[place]][:MOST_PIECES]
    return [piece for piece, _ in pairs], [owner for _, owner in pairs]


def _nearest(cosines: torch.Tensor, owners: Sequence[int], count: int) -> torch.Tensor:
    """The cosine of each section's nearest piece, shape (messages, count)."""
    places = torch.tensor(owners).expand(cosines.shape[0], -1)
    return torch.full((cosines.shape[0], count), -1.0).scatter_reduce(1, places, cosines, "amax", include_self=False)


@torch.no_grad()
def report(label: str, encoder: Encoder, tests: Sequence[Material], adapted: bool = True) -> None:
    encoder.train(False)
    places: list[int] = []
    for one in tests:
        pairs = [(piece, owner) for owner, section in enumerate(one.sections) for piece in section]
        vectors = torch.cat(
            [encoder.encode([p for p, _ in pairs[i : i + 64]], adapted) for i in range(0, len(pairs), 64)]
        )
        asked = torch.cat([encoder.encode([text], adapted) for text, _ in one.messages])
        near = _nearest(asked @ vectors.T, [owner for _, owner in pairs], len(one.sections))
        places += [int((row > row[right].max()).sum()) for row, (_, right) in zip(near, one.messages, strict=True)]
    found = np.array(places)
    shares = " ".join(f"first {k}: {(found < k).mean():.3f}" for k in (1, 3, 5))
    print(f"{label:10} n={len(found)} {shares}", flush=True)


if __name__ == "__main__":
    main()
