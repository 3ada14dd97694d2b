"""A turn of a simulated user with the user's facts and intent and the conversation so far."""

from __future__ import annotations

from typing import NamedTuple

from core.base.means import mean
from core.base.types import Message, Sample
from core.text.conversation import is_clarifying_question
from core.text.fact_sheet import Fact, parse_facts
from core.text.language import content_words, script
from core.text.normalize import normalize
from core.text.numbers import Amount, amounts
from core.text.offered_choices import offered_choices

MAX_MESSAGE_CHARACTERS = 4_000  # characters of a message that are read


class UserTurn(NamedTuple):
    """A turn of a simulated user, and everything that it may draw on."""

    text: str
    kind: str | None  # of the scenario
    first: bool
    facts: tuple[Fact, ...]
    intent: str
    sheet: str  # facts and intent as one text
    known: str  # the same with the persona
    conversation: str  # so far, with the choices on offer
    user_messages: tuple[str, ...]
    bot_messages: tuple[str, ...]
    asks: Message | None  # the bot's last message if it is a clarifying question
    choices: tuple[str, ...]  # that it offers

    @property
    def all(self) -> str:
        """Everything the turn may draw on, as one text."""
        return f"{self.known}\n{self.conversation}"

    @property
    def figures(self) -> frozenset[Amount]:
        """The figures of all that."""
        return frozenset[Amount]().union(*(amounts(line) for line in self.all.splitlines()))


def user_turn_of(sample: Sample) -> UserTurn:
    """The turn, read from a sample: the turn is its question, the conversation its history."""
    cut = ((message, message.text[:MAX_MESSAGE_CHARACTERS]) for message in sample.history)
    messages = tuple(message.model_copy(update={"text": text}) for message, text in cut)
    last = messages[-1] if messages and messages[-1].role == "assistant" else None
    asks = last if last and is_clarifying_question(last) else None
    conversation = "\n".join(part for message in messages for part in (message.text, *message.choices))
    return UserTurn(
        text=sample.question.strip()[:MAX_MESSAGE_CHARACTERS],
        kind=sample.kind,
        first=not messages,
        facts=parse_facts(sample.facts),
        intent=sample.intent.strip(),
        sheet=f"{sample.facts}\n{sample.intent}",
        known="\n".join((sample.facts, sample.intent, sample.persona)),
        conversation=conversation,
        user_messages=tuple(message.text for message in messages if message.role == "user"),
        bot_messages=tuple(message.text for message in messages if message.role == "assistant"),
        asks=asks,
        choices=offered_choices(asks) if asks else (),
    )


def share(text: str, source: str) -> float:
    """Share (0 to 1) of a text's content words that another text has; 0 without content words."""
    words = content_words(text, script(text))
    source_words, plain = frozenset(content_words(source, script(text))), normalize(source)
    parts = {word for word in words if len(word) >= 2 and not word.isascii() and word in plain}
    return mean(word in source_words or word in parts for word in words) or 0.0
