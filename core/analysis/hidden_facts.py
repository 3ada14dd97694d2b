"""The hidden facts of a scenario: in which turn the user revealed each, and after which question of the bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from core.base.frozen_model import FrozenModel
from core.base.types import Message
from core.judges.simulated_user.user_turn import share
from core.text.conversation import is_clarifying_question
from core.text.fact_sheet import REVEALED_FROM, Fact, is_stated, parse_facts
from core.text.offered_choices import offered_choices, picked_choices

Disclosure = Literal["opening", "asked", "unasked", "never"]  # how a fact came out


class Exchange(NamedTuple):
    """A message of the user and the bot's reply."""

    user_text: str
    reply: str
    asks: bool | None = None  # None if the bot does not report whether its reply is a clarifying question
    choices: tuple[str, ...] = ()


class RevealedFact(NamedTuple):
    """How one fact of the sheet was revealed."""

    label: str
    value: str
    turn: int | None = None  # number of the message (from 1; the closing message is one more than the turns)
    how: Disclosure = "never"
    question: str = ""  # the clarifying question right before, if it was asked for


class FactCounts(FrozenModel):
    """Facts that were hidden at first, over many conversations: how many came out in which way."""

    conversations: int
    hidden: int
    asked: int
    unasked: int
    never: int


def revealed_facts(sheet: str, exchanges: Sequence[Exchange], closing: str = "") -> tuple[RevealedFact, ...]:
    """How each fact of a sheet (`label: value; …`) was revealed, by the words of the messages.

    A fact is revealed by the first message after which the user has said it (nearly) word for word, including choices
    picked by a short reply. It belongs to the clarifying question right before.
    """
    spoken = _spoken(exchanges, closing)
    return tuple(_revealed(fact, spoken, exchanges) for fact in parse_facts(sheet))


def count_hidden_facts(conversations: Iterable[Sequence[RevealedFact]]) -> FactCounts:
    """The facts of many conversations summed; those without a hidden fact are left out."""
    hidden = [[fact for fact in facts if fact.how != "opening"] for facts in conversations]
    with_facts = [facts for facts in hidden if facts]
    counts = Counter(fact.how for facts in with_facts for fact in facts)
    return FactCounts(
        conversations=len(with_facts),
        hidden=sum(counts.values()),
        asked=counts["asked"],
        unasked=counts["unasked"],
        never=counts["never"],
    )


def _spoken(exchanges: Sequence[Exchange], closing: str) -> list[str]:
    """The user's message of each turn, with the words of the choices that it picked."""
    user_text = [exchange.user_text for exchange in exchanges] + ([closing] if closing.strip() else [])
    before = [None, *(_message(exchange) for exchange in exchanges)]
    return ["\n".join((text, *_picked(asked, text))) for text, asked in zip(user_text, before, strict=False)]


def _message(exchange: Exchange) -> Message:
    return Message(role="assistant", text=exchange.reply, asks=bool(exchange.asks), choices=exchange.choices)


def _picked(asked: Message | None, text: str) -> tuple[str, ...]:
    return picked_choices(offered_choices(asked), text) if asked else ()


def _revealed(fact: Fact, spoken: Sequence[str], exchanges: Sequence[Exchange]) -> RevealedFact:
    turn = next((n for n in range(1, len(spoken) + 1) if _says(fact, spoken[:n])), None)
    if turn is None:
        return RevealedFact(fact.label, fact.value)
    if turn == 1:
        return RevealedFact(fact.label, fact.value, turn, "opening")
    before = exchanges[turn - 2]
    if not _asks(before):
        return RevealedFact(fact.label, fact.value, turn, "unasked")
    return RevealedFact(fact.label, fact.value, turn, "asked", before.reply)


def _asks(exchange: Exchange) -> bool:
    """Whether the bot asked a clarifying question; judged by its last words if it does not report it."""
    return is_clarifying_question(_message(exchange)) if exchange.asks is None else exchange.asks


def _says(fact: Fact, spoken: Sequence[str]) -> bool:
    """Whether the last message reveals the fact, alone or together with the earlier ones."""
    last = spoken[-1]
    all_texts = "\n".join(spoken)
    if _is_stated(fact.value, last):
        return True
    return _share(fact.value, last) > 0 and _share(fact.value, all_texts) >= REVEALED_FROM


@lru_cache(maxsize=50_000)
def _share(value: str, text: str) -> float:
    """`share`, cached: sheets and sentences are the same in every conversation of a scenario."""
    return share(value, text)


_is_stated = lru_cache(maxsize=50_000)(is_stated)  # for the same reason
