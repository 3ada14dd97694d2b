"""One conversation between a bot and a simulated user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from core.base.types import Conversation, Ending, Turn, UserMessage

TakeTurn = Callable[[Conversation, str], Turn]


class NextUserMessage(Protocol):
    """The simulated user: the next message; last_chance: the conversation ends here, and the reply tells how."""

    def __call__(self, messages: Conversation, last_chance: bool = False) -> UserMessage: ...


UserState = Literal["opening", "going_on"]


class DialogueTurn(NamedTuple):
    """A turn of the bot: its number from 1, the messages before it, and the state of the user who spoke."""

    number: int
    turn: Turn
    before: Conversation
    user_state: UserState


class DialogueOutcome(NamedTuple):
    """How a conversation ended ("stopped" if it was broken off); `closing` is the user's unanswered last message."""

    ending: Ending | Literal["max_turns", "stopped"]
    closing: str = ""


@dataclass
class Dialogue:
    """Lets the two speak, turn by turn, until the user has finished or `max_turns` turns are over.

    After the last turn the user is asked once more, only for the ending: what the last reply was worth is known then.

    earlier: the turns of a conversation that was broken off, after which it goes on with the user's next message.
    outcome: how it ended, once `turns` has come to its end.
    """

    opening: str
    bot: TakeTurn
    user: NextUserMessage
    max_turns: int = 3
    stopped: Callable[[], bool] = lambda: False
    earlier: Sequence[Turn] = ()
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
