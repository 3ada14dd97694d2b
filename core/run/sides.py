"""The two sides of a simulated conversation, as callables that an engine speaks for."""

from __future__ import annotations

from core.base.prompt import Engine
from core.base.types import Bot, Turn, UserMessage
from core.retrieve.index import Index
from core.run.dialogue import BotSide, Conversation, UserSide
from core.run.plan import Case, Plan
from core.run.turn import take_turn
from core.user.say import NextMessage


def bot_side(engine: Engine, bot: Bot, index: Index, clarify: bool = True) -> BotSide:
    """The bot, which takes a turn; `clarify`: whether it may ask back."""

    def answer(said: Conversation, text: str) -> Turn:
        return take_turn(engine, bot, index, said, text, clarify=clarify)

    return answer


def user_side(engine: Engine, plan: Plan, case: Case) -> UserSide:
    """The simulated user of a case."""
    seed = case.seed(plan.seed)

    def say(said: Conversation) -> UserMessage:
        return engine.ask(
            NextMessage(
                persona=case.persona, scenario=case.scenario, conversation=said, language=plan.language, seed=seed
            )
        )

    return say
