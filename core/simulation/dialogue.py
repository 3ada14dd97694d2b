"""One conversation between a bot and a simulated user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from core.base.types import Message, Turn, UserMessage

Conversation = tuple[Message, ...]
BotSide = Callable[[Conversation, str], Turn]
UserSide = Callable[[Conversation], UserMessage]
Heard = Callable[[int, Turn, Conversation, str], None]
UserState = Literal["opening", "going_on"]


class Outcome(NamedTuple):
    """How a conversation ended ("stopped" when it was broken off); `closing` is the user's unanswered last word."""

    ending: Literal["done", "gave_up", "out_of_script", "max_turns", "stopped"]
    closing: str = ""


def hold_dialogue(
    opening: str,
    bot: BotSide,
    user: UserSide,
    heard: Heard,
    max_turns: int = 3,
    stopped: Callable[[], bool] = lambda: False,
    earlier: Sequence[Turn] = (),
) -> Outcome:
    """Let the two talk, turn by turn, until the user has finished or `max_turns` turns are over.

    heard(number, turn, earlier messages, user's state) is told of each turn of the bot before the user speaks again, so
    that it can be stored, and judged meanwhile. What `bot`, `user` and `heard` raise goes to the caller.
    earlier: the turns of a conversation that was broken off, after which it goes on with the user's next message.
    """
    said: Conversation = tuple(message for turn in earlier for message in turn.as_messages())
    text, state = opening, "opening"
    for number in range(len(earlier) + 1, max_turns + 1):
        if said and not stopped():
            answer = user(said)
            if answer.ending:
                return Outcome(answer.ending, answer.text)
            text, state = answer.text, "going_on"
        if stopped():
            return Outcome("stopped")
        turn = bot(said, text)
        heard(number, turn, said, state)
        said += turn.as_messages()
    return Outcome("max_turns")
