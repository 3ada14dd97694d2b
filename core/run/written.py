"""What the documents of a bot hold as they are now: where a reference is written, and what a query would find."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from core.base.text import headed
from core.base.types import Hit, Scenario
from core.report import held
from core.retrieve.index import Index
from core.run.turn import PASSAGES
from core.store.low import Talk


class Want(NamedTuple):
    """What the person of a turn wanted. reference: "" where the scenario's only says that there is none; document: the
    one that holds the scenario's, "" where none does; written: whether one holds the reference; none: not to be told."""

    scenario: Scenario
    reference: str
    document: str | None
    written: bool | None


class Documents:
    """The documents of a bot as they are now, asked where something is written; without an index they tell nothing."""

    def __init__(self, index: Index | None) -> None:
        self._index = index
        self._written: dict[tuple[str, str], str | None] = {}
        self._better: dict[tuple[str, str, str], bool] = {}
        self._wants: dict[tuple[str, str], Want] = {}

    def want(self, talk: Talk) -> Want:
        """What the person of a conversation wanted."""
        key = talk.scenario, talk.scenario_id
        if key not in self._wants:
            known = json.loads(talk.scenario) or {"id": talk.scenario_id, "question": ""}
            self._wants[key] = self.want_of(Scenario.model_validate(known))
        return self._wants[key]

    def want_of(self, scenario: Scenario) -> Want:
        """What the person of a scenario wants."""
        reference = "" if held.says_nothing(scenario.reference) else scenario.reference
        written = self.written_in(reference, scenario.question)
        document = self.written_in(scenario.reference, scenario.question)
        return Want(scenario, reference, document, None if written is None else bool(written))

    def better(self, reference: str, asked: str, query: str) -> bool:
        """Whether another query finds what holds a reference."""
        key = (reference, asked, query)
        if key not in self._better:
            self._better[key] = held.hold(reference, asked, self.found_by(query)) is True
        return self._better[key]

    def written_in(self, reference: str, question: str) -> str | None:
        """The document that holds a reference, "" where none does; none where that cannot be told."""
        if self._index is None or not self._index.passages or not held.words(reference):
            return None
        key = (reference, question)
        if key not in self._written:
            self._written[key] = self._look(reference, question)
        return self._written[key]

    def found_by(self, query: str) -> tuple[str, ...]:
        """The passages that a query finds, as judges see them."""
        hits: Sequence[Hit] = self._index.search(query, PASSAGES) if self._index else ()
        return tuple(headed(hit.passage.title, hit.passage.heading, hit.passage.text) for hit in hits)

    def _look(self, reference: str, question: str) -> str | None:
        assert self._index
        scores = self._index.lexical.scores(reference)
        best = [self._index.passages[int(row)] for row in scores.argsort()[::-1][:PASSAGES] if scores[row] > 0]
        texts = tuple(headed(one.title, one.heading, one.text) for one in best)
        holds = held.hold(reference, question, texts)
        if not holds:
            return None if holds is None else ""
        return best[held.best_place(reference, texts) or 0].document
