"""One conversation between a bot and a simulated user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from core.base.types import Conversation, Ending, Turn, UserMessage

TakeTurn = Callable[[Conversation, str], Turn]


class NextUserMessage(Protocol):
    """The simulated user's next message; last_chance: no further turn follows, so the reply should name an ending."""

    def __call__(self, messages: Conversation, last_chance: bool = False) -> UserMessage: ...


UserState = Literal["opening", "going_on"]


class DialogueTurn(NamedTuple):
    """A turn of the bot."""

    number: int  # from 1
    turn: Turn
    before: Conversation  # the messages before it
    user_state: UserState  # when the user wrote


class DialogueOutcome(NamedTuple):
    """How a conversation ended."""

    ending: Ending | Literal["max_turns", "stopped"]  # stopped: by the caller
    closing: str = ""  # the user's last message, which the bot does not answer


@dataclass
class Dialogue:
    """A conversation between the bot and the user, until the user ends it or after `max_turns` turns.

    After the last turn the user is called once more, only for the ending, since the last reply may satisfy them.
    """

    opening: str
    bot: TakeTurn
    user: NextUserMessage
    max_turns: int = 3
    stopped: Callable[[], bool] = lambda: False
    earlier: Sequence[Turn] = ()  # of an interrupted conversation, which continues with the user's next message
    # set once `turns` has ended
    outcome: DialogueOutcome = field(default=DialogueOutcome("max_turns"), init=False)

    def turns(self) -> Iterator[DialogueTurn]:
        """Each turn as soon as the bot has taken it, so that it can be stored, and judged while the user answers."""
        messages: Conversation = tuple(message for turn in self.earlier for message in turn.as_messages())
        text, state = self.opening, "opening"
        for number in range(len(self.earlier) + 1, self.max_turns + 1):
            if messages and not self.stopped():
                answer = self.user(messages)
                if answer.ending:
                    self.outcome = DialogueOutcome(answer.ending, answer.text)
                    return
                text, state = answer.text, "going_on"
            if self.stopped():
                self.outcome = DialogueOutcome("stopped")
                return
            turn = self.bot(messages, text)
            yield DialogueTurn(number, turn, messages, state)
            messages += turn.as_messages()
        if messages and not self.stopped() and (answer := self.user(messages, last_chance=True)).ending:
            self.outcome = DialogueOutcome(answer.ending, answer.text)
