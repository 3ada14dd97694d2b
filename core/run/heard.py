"""What was said in the conversations of a run up to a turn, and whether the simulated user had spoilt it by then."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from core.base.types import Message, Sample
from core.judge.user.faults import fault
from core.judge.user.verdict import MINOR
from core.store.low import TELLING, USER, Judged, Taken
from core.store.store import Store

_USER = TELLING.index(USER)
Said = tuple[tuple[str, str, bool], ...]  # of each turn what the person said, the reply, and whether that asked back


class Heard:
    """The turns of a run; texts are known of the conversations whose turns were `read`."""

    def __init__(self, store: Store, judged: Judged) -> None:
        self._store, self._turns = store, judged.turns
        self._first: dict[int, int] = {}  # by conversation: the place of its first turn among all
        self._asked, self._judged, self._spoilt = dict[int, int](), dict[int, int](), dict[int, int]()  # by the first
        self._texts, self._replies = dict[int, tuple[int, str, str]](), dict[int, tuple[int, str]]()
        for place, one in enumerate(judged.turns):
            self._first.setdefault(one.talk, place)
            if one.decision == "ask":
                self._asked.setdefault(one.talk, one.number)
            if (value := one.values[_USER]) is not None and not one.broken:
                self._judged.setdefault(one.talk, one.number)
                if value < 0.5 and judged.labels.get(one.turn, "").removeprefix("spoilt:") not in MINOR:
                    self._spoilt.setdefault(one.talk, one.number)

    def read(self, places: Iterable[int], replies: Iterable[int]) -> None:
        """Read what was said up to the turns at these places, and the replies of some turns (ids)."""
        heard = {one.turn for place in places for one in self.until(place)}
        self._texts = self._store.texts(heard, "user_text", "query")
        self._replies = self._store.texts(replies, "reply_text")

    def until(self, place: int) -> list[Taken]:
        """The turns of a conversation up to the one at this place, with it."""
        return self._turns[self._first[self._turns[place].talk] : place + 1]

    def knows(self, turn: int) -> bool:
        """Whether a turn is still there."""
        return turn in self._texts

    def told(self, place: int) -> tuple[str, ...]:
        """What the person had said by then."""
        return tuple(self._texts[one.turn][1] for one in self.until(place) if one.turn in self._texts)

    def query(self, turn: int) -> str:
        """What the bot searched for."""
        return self._texts[turn][2]

    def reply(self, turn: int) -> str:
        """What the bot said; "" where that was not `read`."""
        return self._replies[turn][1] if turn in self._replies else ""

    def asked_before(self, one: Taken) -> bool:
        """Whether the bot had asked back before."""
        return self._asked.get(one.talk, one.number) < one.number

    def judged(self, one: Taken) -> bool:
        """Whether the judge of simulated users had looked by then."""
        return self._judged.get(one.talk, one.number + 1) <= one.number

    def spoilt(self, one: Taken) -> bool:
        """Whether it found, by then, that the simulated user's turn can no longer test the bot."""
        return self._spoilt.get(one.talk, one.number + 1) <= one.number

    def at_fault(self, place: int, intent: str, facts: str) -> bool:
        """Whether a rule of that judge, which asks no model, finds a grave fault in what was said by then."""
        there = [one for one in self.until(place) if one.turn in self._texts]
        said = ((self._texts[one.turn][1], self.reply(one.turn), one.decision == "ask") for one in there)
        return _at_fault(intent, facts, tuple(said))


@lru_cache(maxsize=4_096)
def _at_fault(intent: str, facts: str, said: Said) -> bool:
    history: tuple[Message, ...] = ()
    for text, reply, asks in said:
        found = fault(Sample(question=text, answer="", history=history, intent=intent, facts=facts))
        if found and found.tag not in MINOR:
            return True
        history += (Message(role="user", text=text), Message(role="assistant", text=reply, asks=asks))
    return False
