"""What was recorded of a turn beside its texts: what the bot found and cited, and the sample of an answer from a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from pydantic_core import from_json

from core.base.text import headed
from core.base.types import Scenario
from core.report import held


class Place(NamedTuple):
    """A passage that was found, or a section that was looked at: where it stands and its text."""

    document: str
    text: str


class Kept:
    """What was kept of a turn beside its texts (JSON, or none); read only as far as it is asked for."""

    def __init__(self, record: str | None, sample: Mapping[str, Any]) -> None:
        self._record, self.sample = record or "", sample

    @cached_property
    def record(self) -> dict[str, Any]:
        """The bot's record."""
        return read_json(self._record)

    @property
    def places(self) -> list[Place]:
        """What the bot found."""
        return self._found[0]

    @property
    def stages(self) -> bool:
        """Whether what it found is known; a passage is seen without reading the whole (in a text, quotes are escaped)."""
        return self._found[1] if self.sample or '"hits":[{"passage":' not in self._record else True

    @cached_property
    def _found(self) -> tuple[list[Place], bool]:
        return _places(self.record, self.sample)


def _places(record: Mapping[str, Any], sample: Mapping[str, Any]) -> tuple[list[Place], bool]:
    """(what the bot found, whether that is known); a bot that exists already tells its contexts, or nothing."""
    if sample:
        contexts = [str(text) for text in sample.get("contexts") or ()]
        return [Place("", text) for text in contexts], bool(contexts)
    hits, told = record.get("hits"), record.get("contexts")
    route: Mapping[str, Any] | None = record.get("route")
    if hits is None and told is not None:
        return [_place(one) for one in told], True
    if hits is None or (not hits and not route):
        return [], False
    return [_place(hit["passage"]) for hit in hits], True


def _place(passage: Mapping[str, Any]) -> Place:
    return Place(passage["document"], headed(passage["title"], passage["heading"], passage["text"]))


def document_of(places: Sequence[Place], cited: Sequence[int], scenario: Scenario) -> str:
    """The document that a turn is about: of the passage nearest to the reference, of the first cited, of the first."""
    if not places:
        return ""
    near = held.best_place(scenario.reference, [place.text for place in places])
    first = next((number - 1 for number in cited if 0 < number <= len(places)), 0)
    return places[first if near is None else near].document


def cited(record: Mapping[str, Any]) -> list[int]:
    reply: dict[str, Any] = record.get("reply") or {}
    return [int(number) for number in reply.get("cited") or ()]


def with_sample(scenario: Scenario, sample: Mapping[str, Any]) -> Scenario:
    """The scenario of an answer from a file: its question and first reference stand in the sample."""
    given = next(iter(sample.get("reference") or ()), "")
    evidence = "\n".join(sample.get("evidence") or ())
    return scenario.model_copy(
        update={"question": sample.get("question") or scenario.question, "reference": given, "evidence": evidence}
    )


def read_json(text: str | None) -> dict[str, Any]:
    """A JSON object; an empty one where there is none."""
    try:
        return from_json(text) if text else {}
    except ValueError:  # half of a character, which the quick reader refuses
        return json.loads(text or "{}")
