"""The two players of a simulated conversation: the bot and the simulated user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.base.call_context import in_context
from core.base.errors import NoValidReply
from core.base.prompt import Engine, NeedsModel
from core.base.types import Bot, Conversation, Turn, UserMessage
from core.bot.external.reply import new_conversation
from core.bot.profile import parse_profile
from core.bot.turn import TurnOptions, take_turn
from core.retrieval.index import Index
from core.runs.plan import Case, Plan
from core.simulation.simulated_user import FirstMessage, NextMessage, without_label


@dataclass(frozen=True)
class BotPlayer:
    """The bot in one conversation; an external bot gets one id for all turns."""

    engine: Engine
    bot: Bot
    index: Index
    options: TurnOptions = field(default_factory=TurnOptions)
    conversation_id: str = field(default_factory=new_conversation)

    def __call__(self, messages: Conversation, text: str) -> Turn:
        """The bot's turn on a message, after the earlier messages."""
        if self.bot.external is None:
            return take_turn(self.engine, self.bot, self.index, messages, text, self.options)
        with in_context(conversation_id=self.conversation_id):
            return take_turn(self.engine, self.bot, self.index, messages, text)


def turn_options(bot: Bot, plan: Plan, case: Case) -> TurnOptions:
    """The options of the bot's turns in this case: its profile, and whether it may ask.

    Raises BadInput for an unknown profile field.
    """
    return TurnOptions(parse_profile(bot, case.persona.known, case.scenario.known), clarify=plan.clarify)


def first_message(engine: Engine, plan: Plan, case: Case, prompts: Mapping[str, str]) -> str:
    """The simulated user's first message: the question, or the persona's words for it if they are usable."""
    question = case.scenario.question
    if plan.first_message != "persona":
        return question
    prompt = FirstMessage(
        persona=case.persona, scenario=case.scenario, language=plan.language, seed=case.seed(plan.seed)
    )
    try:
        with in_context(prompts=prompts):
            reply = engine.ask(prompt).text
    except (NeedsModel, NoValidReply):
        return question
    return without_label(UserMessage(text=reply), case.persona.name).text if reply else question


@dataclass(frozen=True)
class UserPlayer:
    engine: Engine
    plan: Plan
    case: Case
    prompts: Mapping[str, str]  # the bot's own (`Bot.prompts`), which may include prompts of the simulated user

    def __call__(self, messages: Conversation, last_chance: bool = False) -> UserMessage:
        """The next message; last_chance: the conversation ends with it."""
        prompt = NextMessage(
            persona=self.case.persona,
            scenario=self.case.scenario,
            conversation=messages,
            last_chance=last_chance,
            language=self.plan.language,
            seed=self.case.seed(self.plan.seed),
        )
        with in_context(prompts=self.prompts):
            return without_label(self.engine.ask(prompt), self.case.persona.name)
