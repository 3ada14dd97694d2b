"""The review of a test set: which items people accepted or rejected, and which ones a run uses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from core.base.field_faults import broken_file, field_fault
from core.base.files import read_bytes, write_text
from core.datasets.items import Item
from core.datasets.seed_document.dataset import Dataset
from core.datasets.seed_document.schema import hash_of

ReviewDecision = Literal["accepted", "rejected"]
DECISIONS: tuple[ReviewDecision, ...] = get_args(ReviewDecision)
_STORED: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def review_decisions(dataset: Dataset) -> dict[str, ReviewDecision]:
    """The reviewers' decision on each item; an item whose question or answer has changed since is undecided."""
    return _decisions_on(dataset, dataset.items())


def decide(dataset: Dataset, changes: Mapping[str, ReviewDecision | None]) -> None:
    """Accept or reject items as they are now; None takes a decision back."""
    items = dataset.items()
    decisions: dict[str, ReviewDecision | None] = {**_decisions_on(dataset, items), **changes}
    stored = {item.id: _stored(item, decision) for item in items if (decision := decisions.get(item.id))}
    write_text(_file(dataset), json.dumps(stored, indent=0, sort_keys=True))


def usable_items(dataset: Dataset) -> list[Item]:
    """The items for a run: the accepted ones; before any is accepted, those without a flag and not rejected."""
    items, qualities = dataset.items(), dataset.qualities()
    decisions = _decisions_on(dataset, items)
    if "accepted" in decisions.values():
        return [item for item in items if decisions.get(item.id) == "accepted"]
    open_items = [item for item in items if decisions.get(item.id) != "rejected"]
    return [item for item in open_items if item.id not in qualities or not qualities[item.id].flags]


def _decisions_on(dataset: Dataset, items: Sequence[Item]) -> dict[str, ReviewDecision]:
    file = _file(dataset)
    try:
        stored = _STORED.validate_json(read_bytes(file)) if file.is_file() else {}
    except ValidationError as error:
        name, fault = f"{dataset.folder.name}/{file.name}", field_fault(error, whole=file.name)
        raise broken_file(name, fault, "Correct it; without the file nothing is decided.") from error
    return {
        item.id: decision for item in items for decision in DECISIONS if stored.get(item.id) == _stored(item, decision)
    }


def _stored(item: Item, decision: ReviewDecision) -> dict[str, str]:
    """A decision as it is stored, with the hash of what was decided on."""
    return {"decision": decision, "item": hash_of(item.question, item.answer)}


def _file(dataset: Dataset) -> Path:
    return dataset.folder / "decisions.json"
