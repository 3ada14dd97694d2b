"""The two sides of a simulated conversation, as callables that an engine speaks for."""

from __future__ import annotations

from core.base.call_context import current_context, in_context
from core.base.prompt import Engine
from core.base.types import Bot, Turn, UserMessage
from core.bot.external.reply import new_conversation
from core.bot.turn import take_turn
from core.retrieval.index import Index
from core.runs.plan import Case, Plan
from core.simulation.dialogue import BotSide, Conversation, UserSide
from core.simulation.simulated_user import NextMessage


def bot_side(engine: Engine, bot: Bot, index: Index, clarify: bool = True) -> BotSide:
    """The bot, which takes a turn; `clarify`: whether it may ask back.

    One that exists already hears the same conversation's id in each turn.
    """

    def answer(said: Conversation, text: str) -> Turn:
        return take_turn(engine, bot, index, said, text, clarify=clarify)

    if bot.outside is None:
        return answer
    mark = current_context().conversation_id or new_conversation()

    def ask(said: Conversation, text: str) -> Turn:
        with in_context(conversation_id=mark):
            return answer(said, text)

    return ask


def user_side(engine: Engine, plan: Plan, case: Case) -> UserSide:
    """The simulated user of a case."""
    seed = case.seed(plan.seed)

    def t(said: Conversation) -> UserMessage:
        return engine.ask(
            NextMessage(
                persona=case.persona, scenario=case.scenario, conversation=said, language=plan.language, seed=seed
            )
        )

    return t
