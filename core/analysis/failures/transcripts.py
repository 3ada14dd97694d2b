"""What was said in the conversations of a run up to a turn, and whether the simulated user made it invalid by then."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from pydantic_core import from_json

from core.analysis.failures import reference_lookup
from core.analysis.failures.judged_turns import CAUSE_CRITERIA, USER, JudgedTurn
from core.analysis.simulator_health import FlaggedTurn
from core.base.types import Message, Sample, Scenario
from core.documents.heading_names import with_heading
from core.judges.simulated_user.faults import MINOR_FAULTS, fault
from core.store.store import Store

_USER = CAUSE_CRITERIA.index(USER)
# Of each turn what the person said, the reply, and whether that asked a clarifying question
Exchanges = tuple[tuple[str, str, bool], ...]


class Transcripts:
    """The turns of a run; texts are known of the conversations whose turns were `read`."""

    def __init__(self, store: Store, judged: Sequence[JudgedTurn], faults: Iterable[FlaggedTurn]) -> None:
        self._store, self._turns = store, judged
        major = {(fault.number, fault.turn) for fault in faults if fault.severity == "major"}
        self._first: dict[int, int] = {}  # by conversation: the place of its first turn among all
        self._asked, self._judged, self._invalid = dict[int, int](), dict[int, int](), dict[int, int]()  # by the first
        self._texts, self._replies = dict[int, tuple[int, str, str]](), dict[int, tuple[int, str]]()
        for place, judged_turn in enumerate(judged):
            self._first.setdefault(judged_turn.conversation, place)
            if judged_turn.decision == "ask":
                self._asked.setdefault(judged_turn.conversation, judged_turn.number)
            if judged_turn.values[_USER] is not None and not judged_turn.broken:
                self._judged.setdefault(judged_turn.conversation, judged_turn.number)
                if (judged_turn.conversation, judged_turn.number) in major:
                    self._invalid.setdefault(judged_turn.conversation, judged_turn.number)

    def read(self, places: Iterable[int], replies: Iterable[int]) -> None:
        """Read what was said up to the turns at these places, and the replies of some turns (ids)."""
        read = {judged_turn.turn for place in places for judged_turn in self.until(place)}
        self._texts = self._store.conversations.turn_texts(read, "user_text", "query")
        self._replies = self._store.conversations.turn_texts(replies, "reply_text")

    def until(self, place: int) -> Sequence[JudgedTurn]:
        """The turns of a conversation up to the one at this place, with it."""
        return self._turns[self._first[self._turns[place].conversation] : place + 1]

    def has(self, turn: int) -> bool:
        """Whether a turn is still there."""
        return turn in self._texts

    def user_texts(self, place: int) -> tuple[str, ...]:
        """What the person had said by then."""
        return tuple(self._texts[before.turn][1] for before in self.until(place) if self.has(before.turn))

    def query(self, turn: int) -> str:
        """What the bot searched for."""
        return self._texts[turn][2]

    def reply(self, turn: int) -> str:
        """What the bot said; "" if that was not `read`."""
        return self._replies[turn][1] if turn in self._replies else ""

    def reply_is_empty(self, turn: int) -> bool:
        """Whether the bot's reply was `read` and has no text."""
        return turn in self._replies and not self.reply(turn).strip()

    def asked_before(self, judged_turn: JudgedTurn) -> bool:
        """Whether the bot had asked a clarifying question before."""
        return self._asked.get(judged_turn.conversation, judged_turn.number) < judged_turn.number

    def user_judged(self, judged_turn: JudgedTurn) -> bool:
        """Whether the judge of simulated users had looked by then."""
        return self._judged.get(judged_turn.conversation, judged_turn.number + 1) <= judged_turn.number

    def invalid(self, judged_turn: JudgedTurn) -> bool:
        """Whether it found, by then, that the simulated user's turn can no longer test the bot."""
        return self._invalid.get(judged_turn.conversation, judged_turn.number + 1) <= judged_turn.number

    def at_fault(self, place: int, intent: str, facts: str) -> bool:
        """Whether a rule of that judge, which asks no model, finds a grave fault in what was said by then."""
        turns = (
            (self._texts[before.turn][1], self.reply(before.turn), before.decision == "ask")
            for before in self.until(place)
            if self.has(before.turn)
        )
        return _at_fault(intent, facts, tuple(turns))


@lru_cache(maxsize=4_096)
def _at_fault(intent: str, facts: str, turns: Exchanges) -> bool:
    history: tuple[Message, ...] = ()
    for text, reply, asks in turns:
        user_fault = fault(Sample(question=text, answer="", history=history, intent=intent, facts=facts))
        if user_fault and user_fault.tag not in MINOR_FAULTS:
            return True
        history += (Message(role="user", text=text), Message(role="assistant", text=reply, asks=asks))
    return False


class FoundPassage(NamedTuple):
    """A passage that was found, or a section that was looked at: where it stands and its text."""

    document: str
    text: str


class TurnRecord:
    """What is stored of a turn beside its texts (JSON, or none); read only as far as it is asked for."""

    def __init__(self, record: str | None, sample: Mapping[str, Any]) -> None:
        self._record, self.sample = record or "", sample

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The fields of the bot's stored turn."""
        return read_json(self._record)

    @property
    def passages(self) -> list[FoundPassage]:
        """The passages that the bot found."""
        return self._found[0]

    @property
    def stages(self) -> bool:
        """Whether what it found is known; a passage is seen without reading the whole (in a text, quotes are escaped)."""
        return self._found[1] if self.sample or '"hits":[{"passage":' not in self._record else True

    @property
    def cited(self) -> list[int]:
        """The numbers of the passages that the reply cites."""
        reply: dict[str, Any] = self.fields.get("reply") or {}
        return [int(number) for number in reply.get("cited") or ()]

    @cached_property
    def _found(self) -> tuple[list[FoundPassage], bool]:
        """(what the bot found, whether that is known); an external bot tells its contexts, or nothing."""
        if self.sample:
            texts = [str(text) for text in self.sample.get("contexts") or ()]
            return [FoundPassage("", text) for text in texts], bool(texts)
        hits, contexts = self.fields.get("hits"), self.fields.get("contexts")
        if hits is None and contexts is not None:
            return [_passage(context) for context in contexts], True
        if hits is None or (not hits and not self.fields.get("route")):
            return [], False
        return [_passage(hit["passage"]) for hit in hits], True


def _passage(passage: Mapping[str, Any]) -> FoundPassage:
    return FoundPassage(passage["document"], with_heading(passage["title"], passage["heading"], passage["text"]))


def document_of(record: TurnRecord, scenario: Scenario) -> str:
    """The document that a turn is about: of the passage nearest to the reference, of the first cited, of the first."""
    passages = record.passages
    if not passages:
        return ""
    near = reference_lookup.closest_passage(scenario.reference, [passage.text for passage in passages])
    first = next((number - 1 for number in record.cited if 0 < number <= len(passages)), 0)
    return passages[first if near is None else near].document


def with_sample(scenario: Scenario, sample: Mapping[str, Any]) -> Scenario:
    """The scenario of an answer from a file: its question and first reference stand in the sample."""
    reference = next(iter(sample.get("reference") or ()), "")
    evidence = "\n".join(sample.get("evidence") or ())
    return scenario.model_copy(
        update={"question": sample.get("question") or scenario.question, "reference": reference, "evidence": evidence}
    )


def read_json(text: str | None) -> dict[str, Any]:
    """A JSON object; an empty one if there is none."""
    try:
        return from_json(text) if text else {}
    except ValueError:  # half of a character, which the fast reader refuses
        return json.loads(text or "{}")
