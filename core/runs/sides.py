"""The two sides of a simulated conversation, which an engine speaks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.base.call_context import current_context, in_context
from core.base.prompt import Engine
from core.base.types import Bot, Turn, UserMessage
from core.bot.external.reply import new_conversation
from core.bot.turn import take_turn
from core.retrieval.index import Index
from core.runs.plan import Case, Plan
from core.simulation.dialogue import Conversation
from core.simulation.simulated_user import NextMessage


@dataclass(frozen=True)
class BotSide:
    """The bot in one conversation; an external bot gets the same conversation id in each turn."""

    engine: Engine
    bot: Bot
    index: Index
    clarify: bool = True
    conversation_id: str = field(default_factory=lambda: current_context().conversation_id or new_conversation())

    def __call__(self, messages: Conversation, text: str) -> Turn:
        """Take a turn."""
        if self.bot.outside is None:
            return take_turn(self.engine, self.bot, self.index, messages, text, clarify=self.clarify)
        with in_context(conversation_id=self.conversation_id):
            return take_turn(self.engine, self.bot, self.index, messages, text, clarify=self.clarify)


@dataclass(frozen=True)
class UserSide:
    """The simulated user of a case."""

    engine: Engine
    plan: Plan
    case: Case

    def __call__(self, messages: Conversation) -> UserMessage:
        """The next message."""
        return self.engine.ask(
            NextMessage(
                persona=self.case.persona,
                scenario=self.case.scenario,
                conversation=messages,
                language=self.plan.language,
                seed=self.case.seed(self.plan.seed),
            )
        )
