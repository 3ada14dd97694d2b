"""The texts of a run's conversations up to a turn, and whether the simulated user had made a fault by then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from core.analysis.failures import reference_lookup
from core.analysis.failures.judged_turns import CAUSE_CRITERIA, USER, JudgedTurn
from core.analysis.simulator_health import FlaggedTurn
from core.base.types import Answer, Message, Sample, Scenario, Turn
from core.documents.heading_names import with_heading
from core.judges.simulated_user.faults import MINOR_FAULTS, fault
from core.store.store import Store

_USER = CAUSE_CRITERIA.index(USER)
# (message of the user, reply, whether the reply is a clarifying question) of each turn
Exchanges = tuple[tuple[str, str, bool], ...]


class Transcripts:
    """The turns of a run; texts are only known after `read`."""

    def __init__(self, store: Store, judged: Sequence[JudgedTurn], faults: Iterable[FlaggedTurn]) -> None:
        self._store, self._turns = store, judged
        major = {(fault.number, fault.turn) for fault in faults if fault.severity == "major"}
        self._first: dict[int, int] = {}  # by conversation: the place of its first turn among all
        self._asked, self._judged, self._invalid = dict[int, int](), dict[int, int](), dict[int, int]()  # by the first
        self._texts: Mapping[int, Sequence[Any]] = {}
        for place, judged_turn in enumerate(judged):
            self._first.setdefault(judged_turn.conversation, place)
            if judged_turn.decision == "ask":
                self._asked.setdefault(judged_turn.conversation, judged_turn.number)
            if judged_turn.values[_USER] is not None and not judged_turn.failed:
                self._judged.setdefault(judged_turn.conversation, judged_turn.number)
                if (judged_turn.conversation, judged_turn.number) in major:
                    self._invalid.setdefault(judged_turn.conversation, judged_turn.number)

    def read(self, places: Iterable[int]) -> None:
        """Read the messages up to the turns at these places."""
        read = {judged_turn.turn for place in places for judged_turn in self.until(place)}
        self._texts = self._store.conversations.turn_texts(read, "user_text", "query", "reply_text")

    def until(self, place: int) -> Sequence[JudgedTurn]:
        """The turns of a conversation up to and including the one at this place."""
        return self._turns[self._first[self._turns[place].conversation] : place + 1]

    def has(self, turn: int) -> bool:
        """Whether a turn is still there."""
        return turn in self._texts

    def user_texts(self, place: int) -> tuple[str, ...]:
        """The messages of the user up to this turn."""
        return tuple(self._texts[before.turn][1] for before in self.until(place) if self.has(before.turn))

    def query(self, turn: int) -> str:
        """The bot's search query."""
        return self._texts[turn][2]

    def reply(self, turn: int) -> str:
        """The bot's reply."""
        return self._texts[turn][3]

    def asked_before(self, judged_turn: JudgedTurn) -> bool:
        """Whether the bot had asked a clarifying question before."""
        return self._asked.get(judged_turn.conversation, judged_turn.number) < judged_turn.number

    def user_judged(self, judged_turn: JudgedTurn) -> bool:
        """Whether the judge of simulated users had scored this turn or an earlier one."""
        return self._judged.get(judged_turn.conversation, judged_turn.number + 1) <= judged_turn.number

    def invalid(self, judged_turn: JudgedTurn) -> bool:
        """Whether it found a major fault in this turn or an earlier one."""
        return self._invalid.get(judged_turn.conversation, judged_turn.number + 1) <= judged_turn.number

    def at_fault(self, place: int, intent: str, facts: str) -> bool:
        """Whether the rules of that judge, which need no model, find a major fault up to this turn."""
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
    """A passage that the bot found."""

    document: str
    text: str


class TurnRecord(NamedTuple):
    """What is stored of the passages of a turn."""

    passages: Sequence[FoundPassage]
    known: bool  # whether these are the passages that the bot saw
    cited: tuple[int, ...] = ()  # the numbers of those that the reply cites


def turn_record(record: str | None, sample: Sample | None) -> TurnRecord:
    """What is known of a turn's passages by its record, or by the sample of an answer from a file."""
    if sample is not None:
        return TurnRecord([FoundPassage("", text) for text in sample.contexts], bool(sample.contexts))
    try:
        turn = Turn.model_validate_json(record) if record else None
    except ValidationError:  # of another version
        turn = None
    if turn is None or turn.passages is None or (turn.hits == () and turn.route is None):
        return TurnRecord((), False)
    found = [FoundPassage(one.document, with_heading(one.title, one.heading, one.text)) for one in turn.passages]
    return TurnRecord(found, True, turn.reply.cited if isinstance(turn.reply, Answer) else ())


def document_of(record: TurnRecord, scenario: Scenario) -> str:
    """The document of the passage nearest to the reference, else of the first cited, else of the first."""
    passages = record.passages
    if not passages:
        return ""
    near = reference_lookup.closest_passage(scenario.reference, [passage.text for passage in passages])
    first = next((number - 1 for number in record.cited if 0 < number <= len(passages)), 0)
    return passages[first if near is None else near].document


def with_sample(scenario: Scenario, sample: Sample) -> Scenario:
    """The scenario of an answer from a file: its question and first reference are in the sample."""
    question, evidence = sample.question or scenario.question, "\n".join(sample.evidence)
    reference = next(iter(sample.reference), "")
    return scenario.model_copy(update={"question": question, "reference": reference, "evidence": evidence})
