"""A low-rank adapter (LoRA; Hu et al. 2022, ICLR) of the English sentence model's linear layers, for search.

It brings a user's words near the section that they mean. Fitted by benchmarks/fit_search_adapter.py on messages to
written desks. Judges and the recognition of despair use the model without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).with_name("search_adapter.npz")


@cache
def adapter_digest() -> str:
    """A digest by which the vectors of different adapters are distinguished."""
    return hashlib.sha256(STORED.read_bytes()).hexdigest()[:8]


def stored_weights() -> dict[str, Any]:
    """For each layer's name the tensors (down, of shape (rank, inputs); up, of shape (outputs, rank))."""
    import torch

    torch_: Any = torch
    with np.load(STORED) as stored:
        arrays = {name: torch_.tensor(stored[name].astype(np.float32)) for name in stored.files}
    names = {name.rsplit("/", 1)[0] for name in arrays}
    return {name: (arrays[f"{name}/down"], arrays[f"{name}/up"]) for name in names}


def linear_layers(transformer: Any) -> dict[str, Any]:
    """The linear layers of a transformer by name; not the pooler's, which sentence vectors do not use."""
    from torch.nn import Linear

    layers = transformer.named_modules()
    return {name: layer for name, layer in layers if isinstance(layer, Linear) and not name.startswith("pooler")}


class SearchAdapter:
    """Adds the learned change to the output of each linear layer while it is switched on.

    weights: for each layer's name (down, up)
    """

    def __init__(self, transformer: Any, weights: Mapping[str, Any]) -> None:
        self._on = False
        for name, layer in linear_layers(transformer).items():
            down, up = weights[name]
            layer.register_forward_hook(self._adding(down, up))

    @contextmanager
    def switched(self, on: bool) -> Generator[None]:
        """Switch the adapter on or off within the block; one thread at a time."""
        self._on = on
        try:
            yield
        finally:
            self._on = False

    def _adding(self, down: Any, up: Any) -> Any:
        def add(layer: Any, inputs: Any, output: Any) -> Any:
            return output + (inputs[0] @ down.T) @ up.T if self._on else output

        return add
